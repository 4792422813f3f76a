import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { VoiceEntry } from '../../contract.ts'
import { begunSpeech } from './begun-speech.ts'
import { EngineError } from './engine-error.ts'
import { type EspeakVoice, parseVariants, parseVoices, voiceList } from './espeak-voices.ts'
import type { Speech, Synthesizer } from './synthesizer.ts'
import { WavReader } from './wav-reader.ts'

export interface EspeakOptions {
  /** Name or path of the program. */
  readonly command: string
  /** Words per minute. */
  readonly wordsPerMinute: number
  /** Volume, 0 to 200. */
  readonly amplitude: number
  /** Timeout for one utterance (ms). */
  readonly timeoutMs: number
}

/** eSpeak NG: offline, over a hundred languages, one short process per utterance (8 ms to the first sound). */
export class Espeak implements Synthesizer {
  readonly name = 'espeak-ng'
  readonly voices: readonly VoiceEntry[]
  readonly #arguments: ReadonlyMap<string, string>
  readonly #options: EspeakOptions
  readonly #closed = new AbortController()

  private constructor(voices: readonly EspeakVoice[], options: EspeakOptions) {
    this.voices = voices.map(voice => voice.entry)
    this.#arguments = new Map(voices.map(voice => [voice.entry.voiceId, voice.argument]))
    this.#options = options
  }

  /** Queries the voices of the program; rejects with an `EngineError` if it is not installed. */
  static async create(options: EspeakOptions): Promise<Espeak> {
    const ask = promisify(execFile)
    try {
      const [languages, variants] = await Promise.all([
        ask(options.command, ['--voices']),
        ask(options.command, ['--voices=variant']),
      ])
      return new Espeak(voiceList(parseVoices(languages.stdout), parseVariants(variants.stdout)), options)
    } catch (cause) {
      throw new EngineError('synthesis', 'espeak-ng', `cannot run ${options.command}`, { cause })
    }
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#arguments.get(voiceId)
    if (voice === undefined)
      throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const reader = new WavReader()
    return begunSpeech(this.#run(voice, text, reader, signal), () => reader.rate || 22_050)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async *#run(
    voice: string,
    text: string,
    reader: WavReader,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    const { command, wordsPerMinute, amplitude, timeoutMs } = this.#options
    const child = spawn(
      command,
      ['-v', voice, '-s', String(wordsPerMinute), '-a', String(amplitude), '--stdin', '--stdout'],
      { stdio: ['pipe', 'pipe', 'ignore'], timeout: timeoutMs, killSignal: 'SIGKILL' },
    )
    const ended = new Promise<number | null>(resolve => {
      child.on('error', () => resolve(-1))
      child.on('close', code => resolve(code))
    })
    const stop = AbortSignal.any([signal, this.#closed.signal])
    const kill = () => void child.kill('SIGKILL')
    stop.addEventListener('abort', kill)
    if (stop.aborted) kill()
    // A program that dies early closes the pipe; its exit code reports the failure.
    child.stdin.on('error', () => {})
    child.stdin.end(speakable(text))
    try {
      for await (const bytes of child.stdout) {
        const pcm = reader.push(bytes as Buffer)
        if (pcm.length > 0) yield pcm
      }
      const code = await ended
      if (code !== 0 && !stop.aborted)
        throw new EngineError('synthesis', this.name, `ended with ${code ?? 'a signal'}`)
    } catch (error) {
      if (!stop.aborted) throw error
    } finally {
      stop.removeEventListener('abort', kill)
      kill()
    }
  }
}

/** Removes control characters, which the program would interpret as commands or ends. */
function speakable(text: string): string {
  return `${text.replace(/[\p{Cc}\s]+/gu, ' ').trim()}\n`
}
