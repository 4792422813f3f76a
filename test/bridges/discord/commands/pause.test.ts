import { describe, expect, test } from 'vitest'
import type {
  TranscriptDocument,
  TranscriptQuery,
} from '../../../../src/bridges/discord/commands/command-context.ts'
import { openRunning } from '../../../support/discord/command-harness.ts'
import { DEFAULT_TERMS } from '../../../support/discord/default-terms.ts'

test('members of the channel pause and continue; outsiders cannot', async () => {
  await using world = await openRunning()
  expect(await world.types(world.eve, 'interpret pause')).toContain('Only people in that voice channel')
  expect(await world.types(world.ana, 'interpret resume')).toBe('La interpretación no está en pausa.')
  expect(await world.types(world.ana, 'interpret pause')).toContain('</interpret resume:')
  expect(await world.types(world.ben, 'interpret pause')).toContain('already')
  expect(await world.types(world.ben, 'interpret resume')).toBe('Interpreting continues.')
  expect(world.interpreter.asked).toEqual(['resume', 'pause Ana', 'pause Ben', 'resume'])
})

describe('a transcript', () => {
  const queries: TranscriptQuery[] = []
  const source = (document: TranscriptDocument) => ({
    transcripts: (query: TranscriptQuery) => {
      queries.push(query)
      return document
    },
  })

  test('is requested for this interpretation, in the user’s language, without those who opted out', async () => {
    await using world = await openRunning({}, source({ text: 'hola', count: 1, shortened: true }))
    const reply = await world.ana.command('interpret transcript', { format: 'vtt' }, { in: world.general })
    expect(reply.text).toContain('Falta el principio')
    expect(reply.ephemeral).toBe(true)
    expect(reply.attachments).toMatchObject([{ filename: 'transcript-es-es.vtt' }])
    expect(Buffer.from(reply.attachments[0]!.bytes).toString()).toBe('hola')
    const [query] = queries
    expect(query).toMatchObject({ room: `discord ${world.lounge.id}`, sinceMs: 0, format: 'vtt' })
    expect(query!.maxBytes).toBeLessThan(10 * 1024 * 1024)
    expect([query!.includes('opted out'), query!.includes('someone')]).toEqual([false, true])
  })

  test('without text, or where none is kept, is no file', async () => {
    await using silent = await openRunning({}, source({ text: '', count: 0, shortened: false }))
    expect(await silent.types(silent.ben, 'interpret transcript')).toBe('Nothing has been said yet.')
    await using world = await openRunning()
    expect(await world.types(world.ben, 'interpret transcript')).toContain('No transcripts are kept here')
  })
})

test('where people must opt in, consent counts in this server, and only while it is interpreted', async () => {
  const terms = { ...DEFAULT_TERMS, consent: { mode: 'opt-in', roles: [] } } as const
  await using world = await openRunning({}, { terms })
  expect(await world.types(world.ana, 'interpret privacy opt-in')).toBe('Te interpreto.')
  expect(world.interpreter.asked).toEqual([`opt-in ${world.ana.id}`])
  world.interpreters.running.clear()
  expect(await world.types(world.ben, 'interpret privacy opt-in')).toContain('press the button in the notice')
})

test('where a role is needed, members without it learn why they are not interpreted', async () => {
  const terms = { ...DEFAULT_TERMS, consent: { mode: 'role', roles: ['123'] }, keeps: 'until-end' } as const
  await using world = await openRunning({}, { terms })
  expect(await world.types(world.ben, 'interpret privacy opt-in')).toContain('you do not have it')
  expect(await world.types(world.ben, 'interpret privacy info')).toContain(
    'The text is kept until interpreting ends',
  )
})
