import { expect, test } from 'vitest'
import { openWorld } from './discord-world.ts'

test('a command is registered, typed, and answered in the language of who typed it', async () => {
  await using world = await openWorld()
  const reply = await world.ana.command('interpret status', {}, { in: world.general })
  expect(reply.text).toMatch(/^Ahora no se interpreta nada aquí\. <\/interpret start:\d+> empieza\.$/)
  expect(reply.ephemeral).toBe(true)
  const other = await world.ben.command('interpret status', {}, { in: world.general })
  expect(other.text).toMatch(/^Nothing is being interpreted here now\./)
})

test('languages are offered by any of their names, and the one chosen is set', async () => {
  await using world = await openWorld()
  const offered = async (typed: string) =>
    (await world.ana.autocomplete('interpret language', 'language', typed, {}, { in: world.general })).map(
      ({ value }) => value,
    )
  expect(await offered('deut')).toEqual(['de-de'])
  expect(await offered('alem')).toEqual(['de-de'])
  expect(await offered('germ')).toEqual(['de-de'])
  expect(await offered('')).toEqual(['es-es', 'es-mx', 'de-de', 'ca-es', 'en-us', 'en-gb', 'eu-es'])
  const reply = await world.ana.command('interpret language', { language: 'de-de' }, { in: world.general })
  expect(reply.text).toMatch(/^Tu idioma es \*\*alemán \(Alemania\)\*\*\./)
  expect(world.preferences.language(world.ana.id)).toBe('de-de')
})
