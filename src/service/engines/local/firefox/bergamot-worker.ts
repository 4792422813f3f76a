import type { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Transferable, Worker } from 'node:worker_threads'

/** Two languages, as the models name them. */
export interface Direction {
  readonly from: string
  readonly to: string
}

/** The files of a model, in memory. */
export interface ModelBuffers {
  readonly model: ArrayBuffer
  readonly shortlist: ArrayBuffer
  /** One for both languages, or of the source and of the target. */
  readonly vocabs: readonly ArrayBuffer[]
  /** Settings of Marian. */
  readonly config: Readonly<Record<string, string>>
}

/** The calls that the worker of the package understands (`worker/translator-worker.js`, version 0.4.9). */
interface Calls {
  initialize: [options: { cacheSize: number }]
  freeTranslationModel: [direction: Direction]
  translate: [request: { models: readonly Direction[]; texts: readonly { text: string; html: boolean }[] }]
}

/** A thread that translates: the package's, or one with a script in tests. */
export interface TranslationThread extends Pick<EventEmitter, 'on'> {
  postMessage(message: unknown, moved?: readonly Transferable[]): void
  terminate(): Promise<unknown>
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * The translator of `@browsermt/bergamot-translator` in a thread of its own. An error of its WebAssembly leaves the
 * thread unusable; the owner closes it and starts another one.
 */
export class BergamotWorker {
  readonly #thread: TranslationThread
  readonly #pending = new Map<number, Pending>()
  readonly #lost: (reason: string) => void
  #lastId = 0
  #closed = false

  /** `lost` is called once when the thread ends by itself. Calls in progress reject before. */
  constructor(lost: (reason: string) => void, thread: TranslationThread = startThread()) {
    this.#lost = lost
    this.#thread = thread
    thread.on('message', (message: { id: number; result?: unknown; error?: { message?: string } }) => {
      const pending = this.#pending.get(message.id)
      this.#pending.delete(message.id)
      if (message.error) pending?.reject(new Error(tidy(message.error.message)))
      else pending?.resolve(message.result)
    })
    thread.on('error', (error: Error) => this.#ended(tidy(error.message)))
    thread.on('exit', (code: number) => this.#ended(`its thread ended with code ${code}`))
  }

  /** Loads the WebAssembly module. */
  async initialize(): Promise<void> {
    await this.#call('initialize', { cacheSize: 0 })
  }

  /** Loads a model. Takes over its buffers. */
  async load(direction: Direction, buffers: ModelBuffers): Promise<void> {
    const { promise, id } = this.#begin()
    const message = { id, name: 'loadTranslationModel', args: [direction, buffers] }
    this.#thread.postMessage(message, [buffers.model, buffers.shortlist, ...buffers.vocabs])
    await promise
  }

  async free(direction: Direction): Promise<void> {
    await this.#call('freeTranslationModel', direction)
  }

  /** Translates a text through one or two loaded models. */
  async translate(text: string, models: readonly Direction[]): Promise<string> {
    const results = await this.#call('translate', { models, texts: [{ text, html: false }] })
    return (results as readonly { target: { text: string } }[])[0]?.target.text ?? ''
  }

  /** Ends the thread; calls in progress reject. Idempotent. */
  close(): void {
    this.#end('is closed')
  }

  #call<Name extends keyof Calls>(name: Name, ...args: Calls[Name]): Promise<unknown> {
    const { promise, id } = this.#begin()
    this.#thread.postMessage({ id, name, args })
    return promise
  }

  #begin(): { promise: Promise<unknown>; id: number } {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    if (this.#closed) reject(new Error('is closed'))
    else this.#pending.set(id, { resolve, reject })
    return { promise, id }
  }

  #ended(reason: string): void {
    if (this.#closed) return
    this.#end(reason)
    this.#lost(reason)
  }

  #end(reason: string): void {
    if (this.#closed) return
    this.#closed = true
    for (const { reject } of this.#pending.values()) reject(new Error(reason))
    this.#pending.clear()
    void this.#thread.terminate()
  }
}

/**
 * Starts the worker of the package. It is CommonJS in a package of ES modules, so Node cannot load its file; as an
 * evaluated script it works, with the names that a module would have.
 */
function startThread(): Worker {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('@browsermt/bergamot-translator')),
    'worker',
  )
  const file = join(folder, 'translator-worker.js')
  const source = `(function (__filename, __dirname) {${readFileSync(file, 'utf8')}\n})(${JSON.stringify(file)}, ${JSON.stringify(folder)})`
  return new Worker(source, {
    eval: true,
    // The library prints to them when it aborts.
    stdout: true,
    stderr: true,
    // Neither settings nor secrets.
    env: {},
    execArgv: [],
  })
}

/** Messages of the library span lines; an abort adds an advice for its developers. */
function tidy(message = 'unknown error'): string {
  const [told = ''] = message.split('Build with -s ASSERTIONS', 1)
  return told
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
