import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { howToInstall, missingOf } from '../../../../common/optional-package.ts'
import { engineName, listedEngine, type SettingsOf } from '../../definition.ts'
import { EngineError, type TextTranslator } from '../../engine.ts'
import { LANGUAGE_ROWS, languageRow } from '../../languages.ts'
import { BergamotWorker, type Direction, type ModelBuffers } from './bergamot-worker.ts'

const code = z.string().regex(/^[a-z]{2,3}$/, 'a language like en, without a region')
const settings = z.strictObject({
  engine: engineName('firefox'),
  directions: z
    .array(
      z.strictObject({
        from: code.meta({ about: 'Source language of the model, like `en`.' }),
        to: code.meta({ about: 'Target language of the model.' }),
        model: z.string().min(1).meta({ about: 'Folder of the model.' }),
      }),
    )
    .min(1)
    .meta({
      about: 'Models, each for one direction. Other pairs go through a language that two of them share.',
    }),
})
type Settings = SettingsOf<typeof settings>

export const firefox = listedEngine({
  kind: 'translation',
  schema: settings,
  create: (choice, { clock }) => FirefoxTranslator.create(choice, { clock }),
})

/** Maximum number of texts that wait. */
const MOST_WAITING = 100
/** Maximum number of models in memory; the one that has not been used for the longest time is dropped. */
const MOST_LOADED = 6
/** Maximum time to start the thread or to load a model, and for one text (ms). */
const LOAD_MS = 30_000
const TEXT_MS = 10_000
/** Failures in a row of the thread after which it rests, and for how long; a broken model rests as long (ms). */
const MAX_FAILURES = 3
const REST_MS = 60_000

export interface FirefoxOptions {
  readonly clock: Clock
  /** Starts the thread; tests replace it. `lost` is called when it ends by itself. */
  readonly startWorker?: (lost: (reason: string) => void) => BergamotWorker
}

/** A text in line. Without one, its models are only loaded. */
interface Task {
  readonly route: readonly Direction[]
  readonly text?: string
  readonly resolve: (translation: string) => void
  readonly reject: (error: Error) => void
}

/**
 * Neural translation by the models of Firefox, in a thread of this process: WebAssembly, one text after the other. A
 * model that cannot be loaded ends only the thread, which is started again without it.
 */
export class FirefoxTranslator implements TextTranslator {
  readonly name = 'firefox'
  readonly #routes: ModelRoutes
  readonly #folders: ReadonlyMap<string, string>
  readonly #clock: Clock
  readonly #startWorker: NonNullable<FirefoxOptions['startWorker']>
  readonly #line: Task[] = []
  /** Loaded models, in the order of their last use. */
  readonly #loaded = new Map<string, Direction>()
  /** Models that have translated: some damage shows only at the first text. */
  readonly #proven = new Set<string>()
  /** Until when (ms of the clock) a model that could not be loaded is not tried again, and why. */
  readonly #broken = new Map<string, { until: number; reason: string }>()
  #worker: BergamotWorker | undefined
  #running = false
  #failures = 0
  #restsUntil = 0
  #reason = ''
  #closed = false

  private constructor(directions: Settings['directions'], options: FirefoxOptions) {
    this.#routes = new ModelRoutes(directions)
    this.#folders = new Map(directions.map(each => [keyOf(each), resolve(each.model)]))
    this.#clock = options.clock
    this.#startWorker = options.startWorker ?? (lost => new BergamotWorker(lost))
  }

  /** Rejects with an `EngineError` if the package or a file of a model is missing. Models are loaded at their first use. */
  static async create({ directions }: Settings, options: FirefoxOptions): Promise<FirefoxTranslator> {
    if (!options.startWorker && missingOf('firefox').length > 0)
      throw new EngineError(
        'translation',
        'firefox',
        `its package is not installed: run ${howToInstall('firefox')}`,
      )
    for (const { model } of directions) await partsOf(resolve(model))
    return new FirefoxTranslator(directions, options)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return this.#routes.targets(from)
  }

  /** Loads the models of the pair. */
  prepare(from: LanguageId, to: LanguageId): void {
    const route = this.#routes.route(from, to)
    if (!route || route.every(each => this.#loaded.has(keyOf(each)))) return
    this.#add({ route, resolve: () => {}, reject: () => {} })
  }

  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const route = this.#routes.route(from, to)
    if (!route)
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#add({ route, text: line, resolve, reject })
    return promise
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#worker?.close()
    this.#worker = undefined
    for (const { reject } of this.#line.splice(0)) reject(this.#error('is closed'))
  }

  #add(task: Task): void {
    const full = `${MOST_WAITING} texts wait already: this machine is too slow for them`
    const problem = this.#closed ? 'is closed' : this.#line.length >= MOST_WAITING ? full : undefined
    if (problem !== undefined) {
      task.reject(this.#error(problem))
      return
    }
    this.#line.push(task)
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let task = this.#line.shift(); task; task = this.#line.shift())
      try {
        task.resolve(await this.#done(task))
      } catch (error) {
        task.reject(this.#error((error as Error).message))
      }
    this.#running = false
  }

  async #done({ route, text }: Task): Promise<string> {
    const now = this.#clock.now()
    for (const direction of route) {
      const broken = this.#broken.get(keyOf(direction))
      if (broken && broken.until > now) throw new Error(broken.reason)
    }
    const worker = await this.#ready()
    for (const direction of route) await this.#load(worker, direction, route)
    if (text === undefined || text === '') return ''
    try {
      const translation = await this.#within(TEXT_MS, worker.translate(text, route))
      this.#failures = 0
      for (const direction of route) this.#proven.add(keyOf(direction))
      return translation.trim()
    } catch (error) {
      const unproven = route.filter(each => !this.#proven.has(keyOf(each)))
      if (unproven.length > 0) throw this.#breakModels(worker, unproven, error as Error)
      this.#fail(worker, (error as Error).message)
      throw error
    }
  }

  /** Returns the running thread, or starts one. */
  async #ready(): Promise<BergamotWorker> {
    if (this.#worker) return this.#worker
    if (this.#restsUntil > this.#clock.now()) throw new Error(this.#reason)
    const worker = this.#startWorker(reason => this.#fail(worker, reason))
    this.#worker = worker
    try {
      await this.#within(LOAD_MS, worker.initialize())
      return worker
    } catch (error) {
      this.#fail(worker, (error as Error).message)
      throw error
    }
  }

  async #load(worker: BergamotWorker, direction: Direction, keep: readonly Direction[]): Promise<void> {
    const key = keyOf(direction)
    if (this.#loaded.delete(key)) {
      this.#loaded.set(key, direction)
      return
    }
    try {
      const buffers = await buffersOf(this.#folders.get(key)!)
      for (const [old, other] of this.#loaded)
        if (this.#loaded.size >= MOST_LOADED && keep.every(each => keyOf(each) !== old)) {
          this.#loaded.delete(old)
          await worker.free(other)
        }
      await this.#within(LOAD_MS, worker.load(direction, buffers))
      this.#loaded.set(key, direction)
    } catch (cause) {
      throw this.#breakModels(worker, [direction], cause as Error)
    }
  }

  /** Lets models rest that could not be loaded, and returns the error. The memory of the library is in an unknown state. */
  #breakModels(worker: BergamotWorker, directions: readonly Direction[], cause: Error): Error {
    this.#stop(worker)
    const reason = `cannot load the model ${directions.map(keyOf).join(' or ')}: ${cause.message}`
    for (const direction of directions)
      this.#broken.set(keyOf(direction), { until: this.#clock.now() + REST_MS, reason })
    return new Error(reason, { cause })
  }

  /** The thread failed: the next text starts another one, after some failures in a row only later. */
  #fail(worker: BergamotWorker, reason: string): void {
    if (worker !== this.#worker) return
    this.#stop(worker)
    this.#reason = reason
    this.#failures++
    if (this.#failures < MAX_FAILURES) return
    this.#failures = 0
    this.#restsUntil = this.#clock.now() + REST_MS
  }

  #stop(worker: BergamotWorker): void {
    if (worker === this.#worker) this.#worker = undefined
    this.#loaded.clear()
    worker.close()
  }

  async #within<T>(ms: number, work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    using _timer = setTimer(this.#clock, ms, () => late.reject(new Error(`no result after ${ms} ms`)))
    return await Promise.race([work, late.promise])
  }

  #error(message: string): EngineError {
    return new EngineError('translation', this.name, message)
  }
}

/** Finds the models for a pair: one, or two through a third language, which is English. */
class ModelRoutes {
  readonly #directions: readonly Direction[]

  constructor(directions: readonly Direction[]) {
    this.#directions = directions.map(({ from, to }) => ({ from, to }))
  }

  targets(from: LanguageId): LanguageId[] {
    return LANGUAGE_ROWS.map(({ id }) => id).filter(id => this.route(from, id) !== undefined)
  }

  route(from: LanguageId, to: LanguageId): readonly Direction[] | undefined {
    const source = languageRow(from)?.written
    const target = languageRow(to)?.written
    if (source === undefined || target === undefined || source === target) return undefined
    const starts = this.#directions.filter(each => each.from === source)
    const direct = starts.find(each => each.to === target)
    if (direct) return [direct]
    for (const first of starts) {
      const second = this.#directions.find(each => each.from === first.to && each.to === target)
      if (second) return [first, second]
    }
    return undefined
  }
}

function keyOf({ from, to }: Direction): string {
  return `${from}-${to}`
}

/** Paths of the files of a model. Rejects with an `EngineError` that names what is missing. */
async function partsOf(folder: string) {
  const names = await readdir(folder).catch(() => undefined)
  if (!names) throw new EngineError('translation', 'firefox', `${folder} does not exist`)
  const find = (pattern: RegExp, what: string): string => {
    const name = names.find(each => pattern.test(each))
    if (name === undefined) throw new EngineError('translation', 'firefox', `${folder} has no ${what}`)
    return join(folder, name)
  }
  const vocabs = names.some(name => name.startsWith('srcvocab.'))
    ? [find(/^srcvocab\..*\.spm$/, 'srcvocab.*.spm'), find(/^trgvocab\..*\.spm$/, 'trgvocab.*.spm')]
    : [find(/^vocab\..*\.spm$/, 'vocab.*.spm')]
  return {
    model: find(/^model\..*\.bin$/, 'model.*.bin'),
    shortlist: find(/^lex\..*\.bin$/, 'lex.*.bin'),
    vocabs,
  }
}

async function buffersOf(folder: string): Promise<ModelBuffers> {
  const { model, shortlist, vocabs } = await partsOf(folder)
  return {
    model: await bufferOf(model),
    shortlist: await bufferOf(shortlist),
    vocabs: await Promise.all(vocabs.map(bufferOf)),
    // The name states how the weights were quantized (README of firefox-translations-models).
    config: model.endsWith('.intgemm8.bin') ? { 'gemm-precision': 'int8shiftAll' } : {},
  }
}

async function bufferOf(path: string): Promise<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = await readFile(path)
  const own = byteLength === buffer.byteLength
  return (own ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer
}
