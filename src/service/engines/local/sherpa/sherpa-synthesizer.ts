import { basename, resolve } from 'node:path'
import { z } from 'zod'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { AUDIO_RATES, type VoiceEntry } from '../../../contract.ts'
import { engineName, languagesSchema, listedEngine, type SettingsOf, speedField } from '../../definition.ts'
import { EngineError, primedSpeech, type Speech, type Synthesizer, textPieces } from '../../engine.ts'
import { languageRow } from '../../languages.ts'
import type { ModelReply } from './messages.ts'
import { findModel, type ModelFiles, modelFields } from './model-files.ts'
import type { ModelProcess, ModelUser } from './model-process.ts'
import { ProcessPool } from './process-pool.ts'
import { assertPackage } from './sherpa-recognizer.ts'

const gender = z.enum(['M', 'F']).meta({ about: 'Gender of the voice.' })
const speaker = z.int().min(0).optional().meta({ about: 'Number of the speaker in the model.' })

/** One voice, or several speakers of a model. */
const settings = z
  .strictObject({
    engine: engineName('sherpa'),
    ...modelFields,
    languages: languagesSchema.optional(),
    gender: gender.optional(),
    speaker,
    voices: z
      .array(
        z.strictObject({
          voice: z
            .string()
            .min(1)
            .meta({ about: 'Name of the speaker in the model, or a name for `speaker`.' }),
          languages: languagesSchema,
          gender,
          speaker,
        }),
      )
      .min(1)
      .optional()
      .meta({ about: 'Speakers of a model with several, instead of `languages` and `gender`.' }),
    speed: speedField(0.25, 4),
  })
  .refine(
    ({ voices, languages, gender }) =>
      voices === undefined
        ? languages !== undefined && gender !== undefined
        : languages === undefined && gender === undefined,
    'either languages and gender, or voices',
  )
type Settings = SettingsOf<typeof settings>

export const sherpaSynthesis = listedEngine({
  kind: 'synthesis',
  schema: settings,
  create: (choice, { clock }) => SherpaSynthesizer.create(choice, clock),
})

/** Maximum text length that a model speaks at once: audio is available only after it, and others wait. */
const MAX_LETTERS = 240
/** Maximum time without new audio while text is spoken (ms): a long sentence of a slow model takes several seconds. */
const TIMEOUT_MS = 20_000

/** A voice of the settings in one language. */
interface SherpaVoice {
  readonly entry: VoiceEntry
  readonly speaker: number
}

/** Speech synthesis with a neural model on this machine, by sherpa-onnx in child processes. */
export class SherpaSynthesizer implements Synthesizer {
  readonly name = 'sherpa'
  readonly voices: readonly VoiceEntry[]
  readonly #pool: ProcessPool
  readonly #options: Settings
  readonly #clock: Clock
  readonly #speakers: ReadonlyMap<string, number>
  readonly #closed = new AbortController()

  private constructor(pool: ProcessPool, voices: readonly SherpaVoice[], options: Settings, clock: Clock) {
    this.voices = voices.map(({ entry }) => entry)
    this.#speakers = new Map(voices.map(({ entry, speaker }) => [entry.voiceId, speaker]))
    this.#pool = pool
    this.#options = options
    this.#clock = clock
  }

  /**
   * Loads the model in child processes. Rejects with an `EngineError` if the package, a file or a voice is missing, or
   * the model cannot be loaded.
   */
  static async create(options: Settings, clock: Clock): Promise<SherpaSynthesizer> {
    assertPackage('synthesis')
    const model = await findModel('synthesis', options)
    const voices = voicesOf(options, model)
    const { threads, processes } = options
    const load = { task: 'synthesis' as const, model: { kind: model.kind, files: model.files }, threads }
    const pool = await ProcessPool.start(processes, { load, clock })
    try {
      assertVoices(pool, voices, options.model)
      return new SherpaSynthesizer(pool, voices, options, clock)
    } catch (error) {
      pool.close()
      throw error
    }
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return this.#pool.pids
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const speaker = this.#speakers.get(voiceId)
    if (speaker === undefined)
      throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const process = await this.#pool.acquire()
    const stop = AbortSignal.any([signal, this.#closed.signal])
    const texts = textPieces(text, MAX_LETTERS)
    return primedSpeech(this.#pieces(process, texts, speaker, stop), () => process.sampleRate)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#pool.close()
  }

  async *#pieces(
    process: ModelProcess,
    texts: readonly string[],
    speaker: number,
    stop: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    if (texts.length === 0 || stop.aborted) return
    const user = new SpeechUser()
    const id = process.add(user)
    const abort = () => user.end()
    stop.addEventListener('abort', abort)
    process.send({ type: 'speak', speech: id, texts, speaker, speed: this.#options.speed })
    // 100 ms: an abort is noticed between pieces.
    const length = Math.round(process.sampleRate / 10)
    try {
      for (let pcm = await this.#next(user); pcm && !stop.aborted; pcm = await this.#next(user))
        for (let at = 0; at < pcm.length && !stop.aborted; at += length) yield pcm.subarray(at, at + length)
    } finally {
      stop.removeEventListener('abort', abort)
      process.remove(id)
      process.send({ type: 'stop', speech: id })
    }
  }

  async #next(user: SpeechUser): Promise<Int16Array | undefined> {
    const timer = setTimer(this.#clock, TIMEOUT_MS, () =>
      user.lost(new EngineError('synthesis', this.name, `no audio within ${TIMEOUT_MS} ms`)),
    )
    try {
      return await user.next()
    } finally {
      timer[Symbol.dispose]()
    }
  }
}

/** The audio of one text as it arrives. */
class SpeechUser implements ModelUser {
  readonly #pieces: Int16Array[] = []
  #ended = false
  #error: EngineError | undefined
  #arrived = Promise.withResolvers<void>()

  /** Resolves with the next audio, undefined at the end. Rejects with an `EngineError`. */
  async next(): Promise<Int16Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece) return piece
      if (this.#error) throw this.#error
      if (this.#ended) return undefined
      await this.#arrived.promise
      this.#arrived = Promise.withResolvers()
    }
  }

  reply(message: ModelReply): void {
    if (message.type === 'speech') this.#pieces.push(message.pcm)
    if (message.type === 'spoken') this.#ended = true
    if (message.type === 'unspoken') this.#error = new EngineError('synthesis', 'sherpa', message.message)
    this.#arrived.resolve()
  }

  lost(error: EngineError): void {
    this.#error = error
    this.#arrived.resolve()
  }

  /** Ends the audio; pieces that have arrived are dropped. */
  end(): void {
    this.#pieces.length = 0
    this.#ended = true
    this.#arrived.resolve()
  }
}

function voicesOf(options: Settings, model: ModelFiles): SherpaVoice[] {
  const { languages = [], gender = 'F', speaker } = options
  const folder = basename(resolve(options.model))
  const only = [{ voice: folder, languages, gender, speaker: speaker ?? 0 }]
  return (options.voices ?? only).flatMap(each => {
    const number = each.speaker ?? speakerNumber(each.voice, model, options.model)
    return each.languages.map(language => ({ speaker: number, entry: entryOf(each, language) }))
  })
}

/** Looks a speaker up by name in the model: Kokoro's list theirs. */
function speakerNumber(voice: string, { metadata }: ModelFiles, folder: string): number {
  const names = metadata.get('speaker_names')?.split(',') ?? []
  const number = names.indexOf(voice)
  if (number >= 0) return number
  if (metadata.get('n_speakers') === '1') return 0
  const known = names.length > 0 ? `it has ${names.join(', ')}` : 'set speaker to its number'
  throw new EngineError('synthesis', 'sherpa', `${folder} has no speaker named ${voice}: ${known}`)
}

function assertVoices(pool: ProcessPool, voices: readonly SherpaVoice[], folder: string): void {
  const { sampleRate, speakers } = pool.voices
  if (!AUDIO_RATES.some(rate => rate === sampleRate))
    throw new EngineError(
      'synthesis',
      'sherpa',
      `${folder} speaks at ${sampleRate} Hz, allowed: ${AUDIO_RATES.join(', ')}`,
    )
  const wrong = voices.find(({ speaker }) => speaker >= Math.max(1, speakers))
  if (wrong)
    throw new EngineError(
      'synthesis',
      'sherpa',
      `${folder} has the speakers 0 to ${speakers - 1}, not ${wrong.speaker}`,
    )
}

function entryOf(
  { voice, gender }: { readonly voice: string; readonly gender: 'M' | 'F' },
  language: LanguageId,
): VoiceEntry {
  return {
    voiceId: `sherpa-${language}-${voice}`,
    name: `${languageRow(language)?.name ?? language}, ${voice}`,
    languageId: language,
    voiceGender: gender,
    voiceEngine: 'neural',
    modes: ['block', 'streaming'],
  }
}
