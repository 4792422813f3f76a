import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../../src/common/clock.ts'
import { BergamotWorker } from '../../../../../src/service/engines/local/firefox/bergamot-worker.ts'
import { FirefoxTranslator } from '../../../../../src/service/engines/local/firefox/firefox-translator.ts'
import { tinyMarian } from '../../../../support/engines/tiny-marian.ts'

test('the package of Firefox translations loads in a thread', async () => {
  const worker = new BergamotWorker(reason => expect.fail(reason))
  await worker.initialize()
  await worker.free({ from: 'en', to: 'es' })
  worker.close()
  await expect(worker.initialize()).rejects.toThrow('is closed')
})

test('a tiny model translates, also through another language', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bergamot-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const write = async (from: string, to: string, words: Readonly<Record<string, string>>) => {
    const model = join(folder, `${from}-${to}`)
    await mkdir(model)
    for (const [name, content] of Object.entries(tinyMarian(words)))
      await writeFile(join(model, name), content)
    return { from, to, model }
  }
  const directions = [
    await write('es', 'en', { uno: 'one', dos: 'two', tres: 'three', cuatro: 'four' }),
    await write('en', 'fr', { one: 'un', two: 'deux', three: 'trois', four: 'quatre' }),
  ]
  const engine = await FirefoxTranslator.create({ directions }, { clock: systemClock })
  onTestFinished(() => engine.close())
  engine.prepare('es-es', 'fr-fr')
  const texts = [
    'Uno dos tres.',
    'Cuatro. Tres, dos, uno.',
    'uno uno uno uno uno uno uno uno uno uno uno dos',
  ]
  const english = texts.map(text => engine.translate(text, 'es-mx', 'en-us'))
  const french = texts.map(text => engine.translate(text, 'es-es', 'fr-fr'))
  expect(await Promise.all(english)).toEqual([
    'One two three.',
    'Four. Three, two, one.',
    'one one one one one one one one one one one two',
  ])
  expect(await Promise.all(french)).toEqual([
    'Un deux trois.',
    'Quatre. Trois, deux, un.',
    'un un un un un un un un un un un deux',
  ])
})

test('a model that is none ends the thread, and the service lives', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bergamot-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['model.enes.intgemm.alphas.bin', 'lex.50.50.enes.s2t.bin', 'vocab.enes.spm'])
    await writeFile(join(folder, name), Buffer.alloc(4_096, 7))
  const directions = [{ from: 'en', to: 'es', model: folder }]
  const engine = await FirefoxTranslator.create({ directions }, { clock: systemClock })
  onTestFinished(() => engine.close())
  engine.prepare('en-us', 'es-es')
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(engine.translate('Good morning.', 'en-us', 'es-es')).rejects.toThrow(
      /^firefox: cannot load the model en-es: /,
    )
})
