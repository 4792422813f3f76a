import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MODELS_VARIABLE } from '../../app/settings/environment.ts'
import { type Clock, pause, setTimer } from '../../common/clock.ts'
import { CommandError } from '../errors.ts'
import { type CatalogFile, fileName } from './catalog.ts'

/** Maximum time until the first answer of a run, at all addresses together, and until later answers (ms). */
const FIRST_ANSWER_MS = 4_000
const ANSWER_MS = 15_000
/** Maximum time without data (ms), after which the download is resumed. */
const STALL_MS = 30_000
/** Attempts without any progress, and the pause before the next one (ms). */
const MAX_ATTEMPTS = 4
const PAUSE_MS = 1_000
/** The catalog of a mirror: the bundled one has 0.1 MB. */
const MAX_CATALOG_BYTES = 4 * 1024 * 1024

export interface DownloadOptions {
  /** Folder for downloads; a `.partial` file there is resumed. */
  readonly folder: string
  /** Address of a mirror with a folder for each model, instead of the addresses of the catalog. */
  readonly mirror?: string | undefined
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Called with every piece: bytes so far, bytes in all. */
  readonly progress?: ((received: number, total: number) => void) | undefined
}

/** A complete download. */
export interface Downloaded {
  readonly path: string
  readonly sha256: string
}

/** Downloads files, one after the other. */
export class Downloader {
  readonly #options: DownloadOptions
  #answered = false

  constructor(options: DownloadOptions) {
    this.#options = options
  }

  /**
   * Downloads a file, or resumes it. Rejects with a `CommandError` if it cannot be had or has another digest than the
   * catalog; a partial download stays, and is resumed by the next attempt.
   */
  async get(file: CatalogFile, model: string): Promise<Downloaded> {
    const { mirror, signal } = this.#options
    const addresses =
      mirror === undefined ? file.addresses : [`${mirror.replace(/\/+$/, '')}/${model}/${fileName(file)}`]
    const problems: string[] = []
    for (const address of addresses)
      try {
        return await this.#from(address, partialName(file, model), file, addresses.length)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof DownloadError)) throw error
        problems.push(error.message)
      }
    throw new CommandError(problems.join('; '))
  }

  async #from(address: string, name: string, file: CatalogFile, places: number): Promise<Downloaded> {
    const { folder, clock, signal } = this.#options
    const path = join(folder, name)
    let most = -1
    for (let attempt = 1; ; attempt++) {
      const size = await sizeOf(path)
      if (size > most) attempt = 1
      most = Math.max(most, size)
      try {
        await this.#transfer(address, path, file, places)
        break
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof Interrupted)) throw error
        if (attempt >= MAX_ATTEMPTS)
          throw new DownloadError(`${address}: ${error.message}; run the command again to resume`)
        await pause(clock, PAUSE_MS)
      }
    }
    const sha256 = await digestOf(path)
    if (file.sha256 !== undefined && sha256 !== file.sha256) {
      await discard(path)
      throw new DownloadError(
        `${address} has the SHA-256 ${sha256}, the catalog says ${file.sha256}: the download was deleted`,
      )
    }
    return { path, sha256 }
  }

  /** Transfers what is missing. Rejects with `Interrupted` if another attempt is useful, with `DownloadError` otherwise. */
  async #transfer(address: string, path: string, file: CatalogFile, places: number): Promise<void> {
    const { clock, signal, progress } = this.#options
    const size = await sizeOf(path)
    if (file.sha256 !== undefined && size === file.bytes) return
    const tag = size > 0 ? await readFile(`${path}.tag`, 'utf8').catch(() => '') : ''
    // Without a tag, only the digest shows that both parts are of the same file.
    const resumes = size > 0 && (tag !== '' || file.sha256 !== undefined)
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (resumes) headers.range = `bytes=${size}-`
    if (resumes && tag !== '') headers['if-range'] = tag
    using watch = new Watch(clock, this.#answered ? ANSWER_MS : FIRST_ANSWER_MS / places)
    const abort = signal ? AbortSignal.any([signal, watch.signal]) : watch.signal
    let response: Response
    try {
      response = await fetch(address, { headers, signal: abort })
    } catch (error) {
      signal?.throwIfAborted()
      if (this.#answered) throw new Interrupted(reasonOf(error))
      throw unreachable(address, error)
    }
    this.#answered = true
    const from = await this.#start(response, address, path, resumes ? size : 0)
    const missing = (received: number, expected: number) => {
      if (received < expected) throw new Interrupted(`ended after ${received} of ${expected} bytes`)
    }
    if (from === undefined) return missing(size, file.sha256 === undefined ? size : file.bytes)
    const total = from + Number(response.headers.get('content-length') ?? Number.NaN)
    const most = file.sha256 === undefined ? 2 * file.bytes + 100e6 : file.bytes
    let received = from
    const handle = await open(path, from === 0 ? 'w' : 'a')
    try {
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        watch.reset(STALL_MS)
        received += piece.length
        if (received > most)
          throw new DownloadError(`${address} is larger than the catalog says (${file.bytes} bytes)`)
        await writeAll(handle, piece)
        progress?.(received, Number.isNaN(total) ? Math.max(file.bytes, received) : total)
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof DownloadError || isFileError(error)) throw error
      throw new Interrupted(`interrupted after ${received} bytes (${reasonOf(error)})`)
    } finally {
      await handle.close()
    }
    missing(received, file.sha256 === undefined ? total : file.bytes)
  }

  /** Returns where the body starts, and prepares the file for it; undefined if nothing is missing. */
  async #start({ status, headers, body }: Response, address: string, path: string, size: number) {
    const [, begin, whole] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
    if (status === 206 && Number(begin) === size) return size
    if (status === 200) {
      await discard(path)
      await writeFile(`${path}.tag`, tagOf(headers))
      return 0
    }
    await body?.cancel()
    if (status === 416 && Number(whole) === size) return undefined
    if (status !== 416 && status !== 206) throw new DownloadError(`${address} answered ${status}`)
    await discard(path)
    throw new Interrupted('the file has changed')
  }
}

/**
 * Returns the text of the mirror's own `catalog.json`, which replaces the catalog; undefined if it has none. Rejects with
 * a `CommandError` if nothing answers, or the answer is too large.
 */
export async function mirrorCatalog(mirror: string, clock: Clock): Promise<string | undefined> {
  const address = `${mirror.replace(/\/+$/, '')}/catalog.json`
  using watch = new Watch(clock, FIRST_ANSWER_MS)
  try {
    const { ok, body } = await fetch(address, { signal: watch.signal })
    if (!ok) {
      await body?.cancel()
      return undefined
    }
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of body ?? []) {
      bytes += piece.length
      if (bytes > MAX_CATALOG_BYTES)
        throw new DownloadError(`${address} has more than ${MAX_CATALOG_BYTES} bytes`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString('utf8')
  } catch (error) {
    if (error instanceof DownloadError) throw error
    throw unreachable(address, error)
  }
}

function unreachable(address: string, error: unknown): DownloadError {
  return new DownloadError(
    `cannot reach ${new URL(address).host} (${reasonOf(error)}); without access to the internet, set ${MODELS_VARIABLE} to the address of a mirror`,
  )
}

/** A failure that another address may not have. */
class DownloadError extends CommandError {}

/** The connection failed; what has arrived is kept. */
class Interrupted extends Error {}

/** Aborts a request that takes too long. */
class Watch implements Disposable {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  #timer: Disposable | undefined

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.reset(ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  reset(ms: number): void {
    this[Symbol.dispose]()
    this.#timer = setTimer(this.#clock, ms, () =>
      this.#controller.abort(new Error(`no data for ${ms / 1000} s`)),
    )
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }
}

/** Name of a file of a model while it is downloaded. */
export function partialName(file: CatalogFile, model: string): string {
  return `${model}-${fileName(file)}.partial`
}

/** Deletes a partial download. */
export async function discard(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(`${path}.tag`, { force: true })
}

/** Only a strong tag, or a date, can be a condition for a range (RFC 9110, 13.1.5). */
function tagOf(headers: Headers): string {
  const tag = headers.get('etag') ?? ''
  return tag === '' || tag.startsWith('W/') ? (headers.get('last-modified') ?? '') : tag
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await handle.write(piece, done)
    done += bytesWritten
  }
}

/** True for errors of the file system, such as a full disk. */
function isFileError(error: unknown): boolean {
  return (
    typeof (error as NodeJS.ErrnoException).syscall === 'string' &&
    (error as NodeJS.ErrnoException).code?.startsWith('E') === true &&
    ['write', 'open', 'ftruncate'].includes((error as NodeJS.ErrnoException).syscall!)
  )
}

/** The cause is what the system says; the message of `fetch` is always the same. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? message
}
