import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingOf } from '../../../../src/common/optional-package.ts'
import type { SettingsOf } from '../../../../src/service/engines/definition.ts'
import { EngineError, type Transcript, type TranscriptSink } from '../../../../src/service/engines/engine.ts'
import { sherpaTranscription } from '../../../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { sherpaSynthesis } from '../../../../src/service/engines/local/sherpa/sherpa-synthesizer.ts'
import { ctcFiles, transducerFiles } from './streaming-tone-models.ts'
import { senseVoiceFiles, vadModel, voiceFiles, whisperFiles } from './utterance-tone-models.ts'

export type RecognitionSettings = SettingsOf<typeof sherpaTranscription.schema>
type VoiceSettings = SettingsOf<typeof sherpaSynthesis.schema>

/** Attempts to use a process that restarts; the engine waits 2 s in each. */
const MAX_ATTEMPTS = 15

/** True if sherpa-onnx is installed; tests that need it are skipped otherwise. */
export const HAS_SHERPA = missingOf('sherpa').length === 0

/** A temporary folder with a tiny model of each kind. Its creator disposes of it. */
export interface ToneModels extends AsyncDisposable {
  readonly folder: string
  readonly ctc: string
  readonly transducer: string
  readonly senseVoice: string
  readonly whisper: string
  readonly vits: string
  /** Path of the detector. */
  readonly vad: string
  /** Writes another model folder and returns its path. */
  write(name: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string>
}

export async function writeToneModels(): Promise<ToneModels> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-tones-'))
  const write = async (name: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    const path = join(folder, name)
    await mkdir(path, { recursive: true })
    for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content)
    return path
  }
  return {
    folder,
    ctc: await write('ctc', ctcFiles()),
    transducer: await write('transducer', transducerFiles()),
    senseVoice: await write('sense-voice', senseVoiceFiles()),
    whisper: await write('whisper', whisperFiles()),
    vits: await write('vits', voiceFiles()),
    vad: join(await write('vad', { 'silero_vad.onnx': vadModel() }), 'silero_vad.onnx'),
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Settings of a recognizer, with the defaults. */
export function recognition(
  settings: Partial<RecognitionSettings> & { readonly model: string },
): RecognitionSettings {
  const { engine: _, ...options } = sherpaTranscription.schema.parse({
    engine: 'sherpa',
    languages: ['en-us'],
    ...settings,
  })
  return options
}

/** Settings of a voice, with the defaults. */
export function voice(settings: Partial<VoiceSettings> & { readonly model: string }): VoiceSettings {
  const only = settings.voices ? {} : { languages: ['en-us'], gender: 'F' as const }
  const { engine: _, ...options } = sherpaSynthesis.schema.parse({ engine: 'sherpa', ...only, ...settings })
  return options
}

/** Repeats `work` while its process restarts: on a busy machine, that takes longer than the engine waits. */
export async function onceRestarted<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof EngineError) || attempt === MAX_ATTEMPTS) throw error
    }
}

/** Collects the results of a stream. */
export class HeardTones implements TranscriptSink {
  readonly partials: Transcript[] = []
  readonly finals: Transcript[] = []
  readonly errors: Error[] = []
  #arrived = Promise.withResolvers<void>()

  partial(transcript: Transcript): void {
    this.partials.push(transcript)
    this.#wake()
  }

  final(transcript: Transcript): void {
    this.finals.push(transcript)
    this.#wake()
  }

  failed(error: Error): void {
    this.errors.push(error)
    this.#wake()
  }

  /** Resolves when `count` finals or an error have arrived. */
  async until(count: number): Promise<Transcript[]> {
    while (this.finals.length < count && this.errors.length === 0) await this.#arrived.promise
    return this.finals
  }

  /** Resolves when the stream has failed. */
  async failure(): Promise<Error> {
    while (this.errors.length === 0) await this.#arrived.promise
    return this.errors[0]!
  }

  /** Resolves when a partial has arrived. */
  async someText(): Promise<void> {
    while (this.partials.length === 0) await this.#arrived.promise
  }

  #wake(): void {
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers()
  }
}
