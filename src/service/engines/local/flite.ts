import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { childEnvironment } from '../../../common/child-environment.ts'
import { mono, readWav } from '../../../transcode/wav.ts'
import type { VoiceEntry } from '../../contract.ts'
import { EngineError, primedSpeech, type Speech, type Synthesizer, textPieces } from '../engine.ts'
import type { FliteOptions } from '../installed-settings.ts'

/**
 * Properties of the voices, best first; the program lists only their names. `awb_time` is omitted, as it can only tell
 * the time.
 */
const VOICES: readonly { voice: string; name: string; gender: 'M' | 'F'; languages: readonly string[] }[] = [
  { voice: 'slt', name: 'slt, female', gender: 'F', languages: ['en-us'] },
  { voice: 'rms', name: 'rms, male', gender: 'M', languages: ['en-us'] },
  { voice: 'awb', name: 'awb, male, Scottish', gender: 'M', languages: ['en-gb'] },
  { voice: 'kal16', name: 'kal, male', gender: 'M', languages: ['en-us'] },
]
const COUNTRY: Readonly<Record<string, string>> = {
  'en-us': 'English (United States)',
  'en-gb': 'English (United Kingdom)',
}

/** Sample rate of all voices (Hz). */
const RATE = 16_000
/** Maximum text length per run: audio is available only when a run has finished. */
const MOST_LETTERS = 240
/** Samples per piece: 100 ms. */
const PIECE = 1_600

/** Flite: recorded English voices, which sound better than eSpeak NG's. One short process per utterance. */
export class Flite implements Synthesizer {
  readonly name = 'flite'
  readonly voices: readonly VoiceEntry[]
  readonly #options: FliteOptions
  readonly #names: ReadonlyMap<string, string>
  readonly #closed = new AbortController()

  private constructor(installed: ReadonlySet<string>, options: FliteOptions) {
    const offered = VOICES.filter(({ voice }) => installed.has(voice)).flatMap(each =>
      each.languages.map(language => ({ voice: each.voice, entry: entryOf(each, language) })),
    )
    this.voices = offered.map(({ entry }) => entry)
    this.#names = new Map(offered.map(({ voice, entry }) => [entry.voiceId, voice]))
    this.#options = options
  }

  /** Queries the voices of the program; rejects with an `EngineError` if it is not installed. */
  static async create(options: FliteOptions): Promise<Flite> {
    try {
      const { stdout } = await promisify(execFile)(options.command, ['-lv'])
      const [, names = ''] = /^Voices available:(.*)$/m.exec(stdout) ?? []
      return new Flite(new Set(names.trim().split(/\s+/)), options)
    } catch (cause) {
      throw new EngineError('synthesis', 'flite', `cannot run ${options.command}`, { cause })
    }
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#names.get(voiceId)
    if (voice === undefined)
      throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const stop = AbortSignal.any([signal, this.#closed.signal])
    return primedSpeech(this.#pieces(textPieces(text, MOST_LETTERS), voice, stop), () => RATE)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async *#pieces(texts: readonly string[], voice: string, stop: AbortSignal): AsyncGenerator<Int16Array> {
    for (const text of texts) {
      if (stop.aborted) return
      const pcm = await this.#say(text, voice, stop)
      for (let at = 0; at < pcm.length && !stop.aborted; at += PIECE) yield pcm.slice(at, at + PIECE)
    }
  }

  /**
   * The program reopens its output for each sentence, so a pipe would make it hang. The output is an unlinked file,
   * which disappears with the last process that has it open, also after a SIGKILL. The input is opened by name, which
   * does not work for the socket that Node provides: hence `cat`.
   */
  async #say(text: string, voice: string, stop: AbortSignal): Promise<Int16Array> {
    let file: FileHandle | undefined
    try {
      file = await namelessFile()
      const code = await this.#run(voice, text, file.fd, stop)
      if (stop.aborted) return new Int16Array(0)
      if (code !== 0) throw new EngineError('synthesis', this.name, `ended with ${code ?? 'a signal'}`)
      return mono(readWav(await file.readFile()))
    } catch (error) {
      if (stop.aborted) return new Int16Array(0)
      if (error instanceof EngineError) throw error
      throw new EngineError('synthesis', this.name, 'produced no speech', { cause: error })
    } finally {
      await file?.close()
    }
  }

  #run(voice: string, text: string, output: number, stop: AbortSignal): Promise<number | null> {
    const { command, timeoutMs } = this.#options
    const child = spawn(
      '/bin/sh',
      ['-c', 'cat | exec "$0" -voice "$1" -f /dev/stdin -o /dev/fd/3', command, voice],
      {
        stdio: ['pipe', 'ignore', 'ignore', output],
        detached: true,
        env: childEnvironment(),
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      },
    )
    const kill = () => {
      try {
        // Kill the whole group: killing only the shell would leave the program behind.
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Already ended.
      }
    }
    stop.addEventListener('abort', kill)
    // A program that dies early closes the pipe; its exit code reports the failure.
    child.stdin?.on('error', () => {})
    child.stdin?.end(`${text}\n`)
    return new Promise(resolve => {
      const ended = (code: number | null) => {
        stop.removeEventListener('abort', kill)
        kill()
        resolve(code)
      }
      child.on('error', () => ended(-1))
      child.on('exit', ended)
    })
  }
}

/** Creates an unlinked file. It is empty while it has a name. */
async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `dragoman-flite-${process.pid}-${randomBytes(8).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}

function entryOf({ voice, name, gender }: (typeof VOICES)[number], language: string): VoiceEntry {
  return {
    voiceId: `flite-${language}-${voice}`,
    name: `${COUNTRY[language]}, ${name}`,
    languageId: language,
    voiceGender: gender,
    voiceEngine: 'standard',
    modes: ['block', 'streaming'],
  }
}
