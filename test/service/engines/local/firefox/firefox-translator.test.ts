import { EventEmitter } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import {
  BergamotWorker,
  type TranslationThread,
} from '../../../../../src/service/engines/local/firefox/bergamot-worker.ts'
import { FirefoxTranslator } from '../../../../../src/service/engines/local/firefox/firefox-translator.ts'

interface Call {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

/** The thread with a script: it writes the directions behind a text, and keeps what was asked. */
class ScriptedThread extends EventEmitter implements TranslationThread {
  readonly calls: Call[] = []
  ended = false
  /** Names of calls that get no answer, and of those that fail. */
  silent: readonly string[] = []
  broken: (call: Call) => boolean = () => false

  postMessage(call: Call): void {
    this.calls.push(call)
    if (this.silent.includes(call.name)) return
    queueMicrotask(() => {
      if (this.broken(call))
        this.emit('message', { id: call.id, error: { message: 'Aborted(). Build with -s ASSERTIONS' } })
      else this.emit('message', { id: call.id, result: resultOf(call) })
    })
  }

  async terminate(): Promise<number> {
    this.ended = true
    return 0
  }

  get texts(): string[] {
    return this.calls
      .filter(({ name }) => name === 'translate')
      .map(({ args: [request] }) => (request as Request).texts[0]!.text)
  }
}

interface Request {
  readonly models: readonly { from: string; to: string }[]
  readonly texts: readonly { text: string }[]
}

function resultOf({ name, args }: Call): unknown {
  if (name !== 'translate') return undefined
  const { models, texts } = args[0] as Request
  return texts.map(({ text }) => ({
    target: { text: `${text} [${models.map(({ from, to }) => `${from}-${to}`).join(' ')}]` },
  }))
}

let folder: string
let clock: FakeClock
let threads: ScriptedThread[]
/** Changes the next thread. */
let script: (thread: ScriptedThread) => void

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firefox-'))
  clock = new FakeClock()
  threads = []
  script = () => {}
})
afterEach(() => rm(folder, { recursive: true }))

async function translator(...pairs: string[]): Promise<FirefoxTranslator> {
  const directions = await Promise.all(
    pairs.map(async pair => {
      const model = join(folder, pair)
      await mkdir(model, { recursive: true })
      const [from, to] = pair.split('-') as [string, string]
      for (const name of [
        `model.${from}${to}.intgemm.alphas.bin`,
        `lex.50.50.${from}${to}.s2t.bin`,
        `vocab.${from}${to}.spm`,
      ])
        await writeFile(join(model, name), pair)
      return { from, to, model }
    }),
  )
  const startWorker = (lost: (reason: string) => void) => {
    const thread = new ScriptedThread()
    script(thread)
    threads.push(thread)
    return new BergamotWorker(lost, thread)
  }
  return FirefoxTranslator.create({ directions }, { clock, startWorker })
}

test('each direction has its model, and other pairs go through English', async () => {
  const engine = await translator('en-es', 'es-en', 'en-fr')
  expect(engine.targets('en-us')).toEqual(['es-es', 'es-mx', 'es-419', 'fr-fr', 'fr-ca'])
  expect(engine.targets('fr-fr')).toEqual([])
  expect(await engine.translate(' one\ntwo ', 'en-us', 'es-mx')).toBe('one two [en-es]')
  expect(await engine.translate('uno', 'es-es', 'fr-fr')).toBe('uno [es-en en-fr]')
  expect(threads).toHaveLength(1)
  await expect(engine.translate('un', 'fr-fr', 'es-es')).rejects.toThrow(RangeError)
  await engine.close()
  expect(threads[0]!.ended).toBe(true)
})

test('a model is loaded once, also by a preparation, and the least used one makes room', async () => {
  const codes = ['es', 'fr', 'de', 'it', 'pt', 'nl', 'pl']
  const engine = await translator(...codes.map(to => `en-${to}`))
  engine.prepare('en-us', 'es-es')
  for (const to of ['es-es', 'fr-fr', 'de-de', 'it-it', 'pt-br', 'nl-nl', 'es-es', 'pl-pl'])
    await engine.translate('a', 'en-us', to)
  const loads = threads[0]!.calls
    .filter(({ name }) => name === 'loadTranslationModel')
    .map(({ args }) => args[0])
  expect(loads).toEqual(codes.map(to => ({ from: 'en', to })))
  const freed = threads[0]!.calls
    .filter(({ name }) => name === 'freeTranslationModel')
    .map(({ args }) => args[0])
  expect(freed).toEqual([{ from: 'en', to: 'fr' }])
})

test('translations keep their order, and a full line is refused at once', async () => {
  script = thread => {
    thread.silent = ['translate']
  }
  const engine = await translator('en-es')
  const texts = Array.from({ length: 102 }, (_, at) => engine.translate(`text ${at}`, 'en-us', 'es-es'))
  await expect(texts.at(-1)).rejects.toThrow(/firefox: 100 texts wait already/)
  const all = Promise.allSettled(texts)
  await engine.close()
  expect((await all).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a broken model ends only its thread: the other models go on, and it is tried again after a minute', async () => {
  script = thread => {
    thread.broken = ({ name, args }) =>
      name === 'loadTranslationModel' && (args[0] as { to: string }).to === 'es'
  }
  const engine = await translator('en-es', 'en-fr')
  await expect(engine.translate('a', 'en-us', 'es-es')).rejects.toThrow(
    'firefox: cannot load the model en-es: Aborted().',
  )
  expect(threads[0]!.ended).toBe(true)
  expect(await engine.translate('a', 'en-us', 'fr-fr')).toBe('a [en-fr]')
  await expect(engine.translate('b', 'en-us', 'es-es')).rejects.toThrow(/cannot load the model en-es/)
  expect(threads).toHaveLength(2)
  script = () => {}
  threads[1]!.broken = () => false
  clock.advance(60_001)
  expect(await engine.translate('b', 'en-us', 'es-es')).toBe('b [en-es]')
})

test('a model that fails with its first text is broken, too', async () => {
  script = thread => {
    thread.broken = ({ name, args }) => name === 'translate' && (args[0] as Request).models[0]!.to === 'es'
  }
  const engine = await translator('en-es', 'en-fr')
  for (let attempt = 0; attempt < 4; attempt++)
    await expect(engine.translate('a', 'en-us', 'es-es')).rejects.toThrow(/cannot load the model en-es/)
  expect(threads).toHaveLength(1)
  expect(await engine.translate('a', 'en-us', 'fr-fr')).toBe('a [en-fr]')
})

test('a thread that ends is started again, and rests after three failures in a row', async () => {
  const engine = await translator('en-es')
  expect(await engine.translate('a', 'en-us', 'es-es')).toBe('a [en-es]')
  script = thread => {
    thread.broken = ({ name }) => name === 'translate'
  }
  script(threads[0]!)
  for (let failure = 1; failure <= 3; failure++)
    await expect(engine.translate('a', 'en-us', 'es-es')).rejects.toThrow('firefox: Aborted()')
  await expect(engine.translate('a', 'en-us', 'es-es')).rejects.toThrow('firefox: Aborted()')
  expect(threads).toHaveLength(3)
  clock.advance(60_001)
  script = () => {}
  expect(await engine.translate('a', 'en-us', 'es-es')).toBe('a [en-es]')
  threads.at(-1)!.emit('error', new Error('out of memory'))
  expect(await engine.translate('b', 'en-us', 'es-es')).toBe('b [en-es]')
  expect(threads).toHaveLength(5)
})

test('a text without an answer fails after ten seconds, and the next one gets another thread', async () => {
  const engine = await translator('en-es')
  expect(await engine.translate('a', 'en-us', 'es-es')).toBe('a [en-es]')
  threads[0]!.silent = ['translate']
  const late = engine.translate('a', 'en-us', 'es-es').catch((error: Error) => error)
  while (threads[0]?.texts.length !== 2) await new Promise(resolve => setImmediate(resolve))
  clock.advance(10_000)
  expect(await late).toMatchObject({ message: 'firefox: no result after 10000 ms' })
  expect(await engine.translate('b', 'en-us', 'es-es')).toBe('b [en-es]')
})

test('a missing file is named when the engine is created', async () => {
  await translator('en-es')
  await rm(join(folder, 'en-es', 'vocab.enes.spm'))
  const directions = [{ from: 'en', to: 'es', model: join(folder, 'en-es') }]
  const options = { clock, startWorker: () => expect.fail() }
  await expect(FirefoxTranslator.create({ directions }, options)).rejects.toThrow(
    /en-es has no vocab\.\*\.spm/,
  )
})
