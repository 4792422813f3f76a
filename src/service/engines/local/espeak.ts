import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { childEnvironment } from '../../../common/child-environment.ts'
import { WavSpeech } from '../../../transcode/wav.ts'
import type { VoiceEntry } from '../../contract.ts'
import { enabledField, installedEngine } from '../definition.ts'
import { EngineError, primedSpeech, type Speech, type Synthesizer } from '../engine.ts'
import { LANGUAGE_ROWS, type LanguageRow } from '../languages.ts'

const settings = z.strictObject({ enabled: enabledField })

export const espeak = installedEngine({
  kind: 'synthesis',
  name: 'espeak',
  settings,
  create: () => Espeak.create(),
  async examine() {
    try {
      const { stdout } = await promisify(execFile)(COMMAND, ['--version'], { timeout: TIMEOUT_MS })
      return { found: stdout.split(/ {2}|\n/)[0] ?? COMMAND }
    } catch {
      return { missing: `${COMMAND} cannot be run`, packages: 'espeak-ng' }
    }
  },
})

const COMMAND = 'espeak-ng'
/** Speaking rate: a little slower than usual, for listeners on the phone. */
const WORDS_PER_MINUTE = 165
/** Volume of 200: louder voices clip. */
const AMPLITUDE = 80
/** Time for one utterance (ms). */
const TIMEOUT_MS = 10_000

/** A voice of the list, and its eSpeak NG name. */
export interface EspeakVoice {
  readonly entry: VoiceEntry
  /** Value of `-v`. */
  readonly argument: string
}

/** Variants offered in addition to the plain voice. */
const VARIANTS: readonly { key: string; name: string; gender: 'M' | 'F' }[] = [
  { key: '', name: 'male', gender: 'M' },
  { key: 'f3', name: 'female', gender: 'F' },
  { key: 'm3', name: 'male, second', gender: 'M' },
  { key: 'f2', name: 'female, second', gender: 'F' },
]

/** Parses the table printed by `espeak-ng --voices`; MBROLA entries are listed there but have no data. */
export function parseVoices(table: string): Set<string> {
  const languages = new Set<string>()
  for (const line of table.split('\n').slice(1)) {
    const [, language, , , file] = line.trim().split(/\s+/)
    if (language !== undefined && !file?.startsWith('mb/')) languages.add(language)
  }
  return languages
}

/** Parses the names of the variants in the table printed by `espeak-ng --voices=variant`. */
export function parseVariants(table: string): Set<string> {
  return new Set(Array.from(table.matchAll(/!v\/(\S+)/g), match => match[1] ?? ''))
}

/** Returns the voices for the installed languages and variants. */
export function voiceList(languages: ReadonlySet<string>, variants: ReadonlySet<string>): EspeakVoice[] {
  return LANGUAGE_ROWS.flatMap(row =>
    row.espeak !== undefined && languages.has(row.espeak)
      ? VARIANTS.filter(({ key }) => key === '' || variants.has(key)).map(variant =>
          voice(row, row.espeak!, variant),
        )
      : [],
  )
}

function voice(row: LanguageRow, language: string, variant: (typeof VARIANTS)[number]): EspeakVoice {
  const borrowed = row.borrowed === undefined ? '' : `, spoken by the ${row.borrowed} voice`
  return {
    argument: variant.key === '' ? language : `${language}+${variant.key}`,
    entry: {
      voiceId: ['espeak', row.id, variant.key].filter(part => part !== '').join('-'),
      name: `${row.name}, ${variant.name}${borrowed}`,
      languageId: row.id,
      voiceGender: variant.gender,
      voiceEngine: 'standard',
      modes: ['block', 'streaming'],
    },
  }
}

/** eSpeak NG: offline, over a hundred languages, one short process per utterance (8 ms to the first sound). */
export class Espeak implements Synthesizer {
  readonly name = 'espeak-ng'
  readonly voices: readonly VoiceEntry[]
  readonly #arguments: ReadonlyMap<string, string>
  readonly #closed = new AbortController()

  private constructor(voices: readonly EspeakVoice[]) {
    this.voices = voices.map(voice => voice.entry)
    this.#arguments = new Map(voices.map(voice => [voice.entry.voiceId, voice.argument]))
  }

  /** Queries the voices of the program; rejects with an `EngineError` if it is not installed. */
  static async create(): Promise<Espeak> {
    const ask = promisify(execFile)
    try {
      const [languages, variants] = await Promise.all([
        ask(COMMAND, ['--voices']),
        ask(COMMAND, ['--voices=variant']),
      ])
      return new Espeak(voiceList(parseVoices(languages.stdout), parseVariants(variants.stdout)))
    } catch (cause) {
      throw new EngineError('synthesis', 'espeak-ng', `cannot run ${COMMAND}`, { cause })
    }
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#arguments.get(voiceId)
    if (voice === undefined)
      throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const wav = new WavSpeech()
    return primedSpeech(this.#run(voice, text, wav, signal), () => wav.rate || 22_050)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async *#run(voice: string, text: string, wav: WavSpeech, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const child = spawn(
      COMMAND,
      ['-v', voice, '-s', String(WORDS_PER_MINUTE), '-a', String(AMPLITUDE), '--stdin', '--stdout'],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        env: childEnvironment(),
      },
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
        const pcm = wav.push(bytes as Buffer)
        if (pcm.length > 0) yield pcm
      }
      const code = await ended
      if (code !== 0 && !stop.aborted)
        throw new EngineError('synthesis', this.name, `ended with ${code ?? 'a signal'}`)
      if (wav.rate > 0) yield wav.end()
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
