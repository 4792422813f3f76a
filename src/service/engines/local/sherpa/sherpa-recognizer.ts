import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { howToInstall, missingOf } from '../../../../common/optional-package.ts'
import { EngineError, type SpeechStream, type SpeechToText, type TranscriptSink } from '../../engine.ts'
import { findModel, type ModelFiles } from './model-files.ts'
import { ProcessPool } from './process-pool.ts'
import type { SherpaTranscriptionOptions } from './settings.ts'
import { SherpaStream } from './sherpa-stream.ts'

/** Speech recognition with a neural model on this machine, by sherpa-onnx in child processes. */
export class SherpaRecognizer implements SpeechToText {
  readonly name = 'sherpa'
  readonly languages: readonly LanguageId[]
  readonly takesTerms: boolean
  readonly #pool: ProcessPool
  readonly #options: SherpaTranscriptionOptions
  readonly #clock: Clock

  private constructor(
    pool: ProcessPool,
    options: SherpaTranscriptionOptions,
    clock: Clock,
    takesTerms: boolean,
  ) {
    this.takesTerms = takesTerms
    this.languages = options.languages
    this.#pool = pool
    this.#options = options
    this.#clock = clock
  }

  /**
   * Loads the model in child processes. Rejects with an `EngineError` if the package or a file is missing or the model
   * cannot be loaded, with a `RangeError` if the settings do not fit the model. `terms` are hot words as well, if the
   * model can have any.
   */
  static async create(
    options: SherpaTranscriptionOptions,
    clock: Clock,
    terms: readonly string[] = [],
  ): Promise<SherpaRecognizer> {
    assertPackage('transcription')
    const { languages, hotwordsScore, threads, vad, vadThreshold, pauseMs, maxUtteranceMs } = options
    const model = await findModel('transcription', options)
    const takesTerms = takesHotwords(model)
    if (options.hotwords.length > 0 && !takesTerms)
      throw new RangeError(
        `hotwords need a transducer model that is not a streaming one of NeMo, ${options.model} is ${model.kind}`,
      )
    const hotwords = takesTerms ? Array.from(new Set([...options.hotwords, ...terms])) : []
    const languageModel =
      options.languageModel === undefined
        ? undefined
        : await findModel('transcription', { model: options.languageModel, kind: 'whisper' })
    const load = {
      task: 'transcription' as const,
      model: { kind: model.kind, files: model.files },
      ...{ threads, languages, hotwords, hotwordsScore, vadThreshold, pauseMs, maxUtteranceMs },
      vad: vad === undefined ? undefined : await existing(vad),
      languageModel: languageModel && { files: languageModel.files },
    }
    const { loadTimeoutMs, cooldownMs, processes } = options
    const pool = await ProcessPool.start(processes, { load, clock, loadTimeoutMs, cooldownMs })
    return new SherpaRecognizer(pool, options, clock, takesTerms)
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
      stallMs: this.#options.stallMs,
    })
  }

  async close(): Promise<void> {
    this.#pool.close()
  }
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
