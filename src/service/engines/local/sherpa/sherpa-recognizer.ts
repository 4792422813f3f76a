import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { howToInstall, missingOf } from '../../../../common/optional-package.ts'
import { engineName, languagesSchema, listedEngine, pauseField, type SettingsOf } from '../../definition.ts'
import { EngineError, type SpeechStream, type SpeechToText, type TranscriptSink } from '../../engine.ts'
import { findModel, type ModelFiles, modelFields } from './model-files.ts'
import { ProcessPool } from './process-pool.ts'
import { SherpaStream } from './sherpa-stream.ts'

const settings = z
  .strictObject({
    engine: engineName('sherpa'),
    ...modelFields,
    languages: languagesSchema,
    vad: z
      .string()
      .min(1)
      .optional()
      .meta({ about: 'Silero model that detects speech and pauses, such as `./models/silero_vad.onnx`.' }),
    languageModel: z.string().min(1).optional().meta({
      about:
        'Folder of a multilingual Whisper model that identifies the language of each utterance. Requires `vad`.',
    }),
    pauseMs: pauseField(100, 3_000, 400),
  })
  .refine(({ vad, languageModel }) => vad !== undefined || languageModel === undefined, {
    path: ['languageModel'],
    message: 'requires vad',
  })
type Settings = SettingsOf<typeof settings>

export const sherpaTranscription = listedEngine({
  kind: 'transcription',
  schema: settings,
  create: (choice, { clock, vocabulary }) =>
    SherpaRecognizer.create(
      choice,
      clock,
      choice.languages.flatMap(language => vocabulary.terms(language)),
    ),
})

/** Preference for terms that are expected: too much of it makes them appear everywhere. */
const HOTWORDS_SCORE = 1.5
/** Probability from which sound is speech. */
const VAD_THRESHOLD = 0.5
/** Length from which an utterance is split at a short pause (ms). */
const MOST_UTTERANCE_MS = 15_000

/** Speech recognition with a neural model on this machine, by sherpa-onnx in child processes. */
export class SherpaRecognizer implements SpeechToText {
  readonly name = 'sherpa'
  readonly languages: readonly LanguageId[]
  readonly takesTerms: boolean
  readonly #pool: ProcessPool
  readonly #appends: boolean
  readonly #clock: Clock

  private constructor(
    pool: ProcessPool,
    options: Settings,
    clock: Clock,
    { takesTerms, appends }: { takesTerms: boolean; appends: boolean },
  ) {
    this.takesTerms = takesTerms
    this.#appends = appends
    this.languages = options.languages
    this.#pool = pool
    this.#clock = clock
  }

  /**
   * Loads the model in child processes. Rejects with an `EngineError` if the package or a file is missing or the model
   * cannot be loaded, with a `RangeError` if the settings do not fit the model. `terms` are hot words as well, if the
   * model can have any.
   */
  static async create(
    options: Settings,
    clock: Clock,
    terms: readonly string[] = [],
  ): Promise<SherpaRecognizer> {
    assertPackage('transcription')
    const { languages, threads, vad, pauseMs, processes } = options
    const model = await findModel('transcription', options)
    const takesTerms = takesHotwords(model)
    const hotwords = takesTerms ? Array.from(new Set(terms)) : []
    const languageModel =
      options.languageModel === undefined ? undefined : await whisperModel(options.languageModel)
    const load = {
      task: 'transcription' as const,
      model: { kind: model.kind, files: model.files },
      ...{ threads, languages, hotwords, hotwordsScore: HOTWORDS_SCORE, vadThreshold: VAD_THRESHOLD },
      ...{ pauseMs, maxUtteranceMs: MOST_UTTERANCE_MS },
      vad: vad === undefined ? undefined : await existing(vad),
      languageModel: languageModel && { files: languageModel.files },
    }
    const pool = await ProcessPool.start(processes, { load, clock })
    // With hot words, the search goes on with several texts.
    const appends = model.kind.startsWith('streaming') && hotwords.length === 0
    return new SherpaRecognizer(pool, options, clock, { takesTerms, appends })
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return this.#pool.pids
  }

  async open(language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} recognizes ${this.languages.join(', ')}, not ${language}`)
    const process = await this.#pool.acquire()
    return new SherpaStream(process, sink, {
      clock: this.#clock,
      language,
      languages: this.languages,
      appends: this.#appends,
    })
  }

  async close(): Promise<void> {
    this.#pool.close()
  }
}

/** Finds the Whisper model that identifies languages. */
async function whisperModel(folder: string): Promise<ModelFiles> {
  const model = await findModel('transcription', { model: folder })
  if (model.kind === 'whisper') return model
  throw new EngineError(
    'transcription',
    'sherpa',
    `languageModel: ${folder} is a ${model.kind} model, not whisper`,
  )
}

/** With hot words, sherpa-onnx ends its process for models that cannot have any (version 1.13.8). */
function takesHotwords({ kind, metadata }: ModelFiles): boolean {
  if (kind === 'streaming-transducer') return metadata.has('decode_chunk_len')
  return kind === 'transducer' || kind === 'nemo-transducer'
}

/** Throws an `EngineError` with the install command if sherpa-onnx is not installed. */
export function assertPackage(
  kind: 'transcription' | 'synthesis',
  versionOf?: (name: string) => string | undefined,
): void {
  if (missingOf('sherpa', versionOf).length > 0)
    throw new EngineError(kind, 'sherpa', `its package is not installed: run ${howToInstall('sherpa')}`)
}

async function existing(file: string): Promise<string> {
  const path = resolve(file)
  try {
    await access(path)
    return path
  } catch (cause) {
    throw new EngineError('transcription', 'sherpa', `vad: ${path} does not exist`, { cause })
  }
}
