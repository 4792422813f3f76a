import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { EngineError } from '../../engine.ts'
import { readOnnxMetadata } from './onnx-metadata.ts'

/** Kinds of recognition model. The first three recognize while a person speaks, the others whole utterances. */
type RecognitionKind =
  | 'streaming-transducer'
  | 'streaming-zipformer2-ctc'
  | 'streaming-nemo-ctc'
  | 'transducer'
  | 'nemo-transducer'
  | 'sense-voice'
  | 'whisper'
  | 'moonshine'

/** Kinds of voice model. Piper's voices are VITS models. */
type SynthesisKind = 'vits' | 'kokoro' | 'matcha'

/** Settings of engines with a model. */
export const modelFields = {
  model: z.string().min(1).meta({ about: 'Folder of the model.' }),
  threads: z.int().min(1).max(32).default(1).meta({ about: 'Threads of each process for the model.' }),
  processes: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .meta({ about: 'Child processes, each with a copy of the model in memory.' }),
}

/** The task of a model. */
export type ModelTask = 'transcription' | 'synthesis'
export type ModelKind = RecognitionKind | SynthesisKind

/** Publishers of models and their descriptions. */
const SOURCES: Readonly<Record<ModelTask, ModelSource>> = {
  transcription: {
    documentation: 'https://k2-fsa.github.io/sherpa/onnx/pretrained_models/index.html',
    downloads: 'https://github.com/k2-fsa/sherpa-onnx/releases/tag/asr-models',
  },
  synthesis: {
    documentation: 'https://k2-fsa.github.io/sherpa/onnx/tts/pretrained_models/index.html',
    downloads: 'https://github.com/k2-fsa/sherpa-onnx/releases/tag/tts-models',
  },
}

export interface ModelSource {
  /** Page that describes the models. */
  readonly documentation: string
  /** Page with their archives. */
  readonly downloads: string
}

/** A file or folder of a model. */
interface Part {
  readonly pattern: RegExp
  /** As named in errors. */
  readonly name: string
  readonly optional?: true
  /** Uses all files of that name, separated by commas. */
  readonly all?: true
}

const tokens: Part = { pattern: /(^|-)tokens\.txt$/, name: 'tokens.txt' }
const onnx = (name: string): Part => ({
  pattern: new RegExp(`(^|[-_.])${name}.*\\.onnx$`),
  name: `${name}*.onnx`,
})
const anyOnnx: Part = { pattern: /\.onnx$/, name: '*.onnx' }
const bpeVocab: Part = { pattern: /^bpe\.vocab$/, name: 'bpe.vocab', optional: true }
const dataDir: Part = { pattern: /^espeak-ng-data$/, name: 'espeak-ng-data' }
const lexicon: Part = { pattern: /^lexicon.*\.txt$/, name: 'lexicon.txt', optional: true }
const transducer = {
  encoder: onnx('encoder'),
  decoder: onnx('decoder'),
  joiner: onnx('joiner'),
  tokens,
  bpeVocab,
}

/** Parts of each kind of model, by the names that sherpa-onnx gives them. The first is the one with the metadata. */
const PARTS: Readonly<Record<ModelKind, Readonly<Record<string, Part>>>> = {
  'streaming-transducer': transducer,
  'streaming-zipformer2-ctc': { model: anyOnnx, tokens },
  'streaming-nemo-ctc': { model: anyOnnx, tokens },
  transducer,
  'nemo-transducer': transducer,
  'sense-voice': { model: anyOnnx, tokens },
  whisper: { encoder: onnx('encoder'), decoder: onnx('decoder'), tokens },
  moonshine: {
    preprocessor: onnx('preprocess'),
    encoder: onnx('encode'),
    uncachedDecoder: onnx('uncached_decode'),
    cachedDecoder: { pattern: /^cached_decode.*\.onnx$/, name: 'cached_decode*.onnx' },
    tokens,
  },
  vits: { model: anyOnnx, tokens, lexicon, dataDir: { ...dataDir, optional: true } },
  kokoro: {
    model: anyOnnx,
    voices: { pattern: /^voices\.bin$/, name: 'voices.bin' },
    tokens,
    dataDir,
    // One for each language; the British one contradicts the American one.
    lexicon: { pattern: /^lexicon-(?!gb-en).*\.txt$/, name: 'lexicon-*.txt', optional: true, all: true },
  },
  matcha: {
    acousticModel: { pattern: /^(?!.*(vocos|hifigan)).*\.onnx$/, name: 'model-steps-*.onnx' },
    vocoder: { pattern: /^(?=.*(vocos|hifigan)).*\.onnx$/, name: 'vocos-*.onnx or hifigan_*.onnx' },
    tokens,
    lexicon,
    dataDir: { ...dataDir, optional: true },
  },
}

/** A complete model. */
export interface ModelFiles {
  readonly task: ModelTask
  readonly kind: ModelKind
  /** Absolute paths by part: `encoder`, `tokens`, … */
  readonly files: Readonly<Record<string, string>>
  readonly metadata: ReadonlyMap<string, string>
}

/** The parts of a model in a folder. */
export interface ModelInventory {
  readonly task: ModelTask
  /** Absolute path. */
  readonly folder: string
  /** Undefined if the files do not show it. */
  readonly kind: ModelKind | undefined
  readonly found: readonly { readonly part: string; readonly path: string; readonly bytes: number }[]
  /** Names of missing files. */
  readonly missing: readonly string[]
  /** Size of the files; the model needs somewhat more memory. */
  readonly bytes: number
  readonly metadata: ReadonlyMap<string, string>
  readonly source: ModelSource
  /** Why the model cannot be used; undefined if the model is complete. */
  readonly problem: string | undefined
}

/** Lists the files of the model in a folder. Loads nothing; never rejects. */
export async function inspectModel(
  task: ModelTask,
  settings: { readonly model: string },
): Promise<ModelInventory> {
  const folder = resolve(settings.model)
  const empty = { task, folder, kind: undefined, found: [], missing: [], bytes: 0, metadata: new Map() }
  const inventory = { ...empty, source: SOURCES[task] }
  try {
    const names = (await readdir(folder)).sort(byPreference)
    const kind = await kindOf(task, folder, names)
    if (!kind) return { ...inventory, problem: `${folder} is not a model of a known kind: check the folder` }
    return { ...inventory, kind, ...(await partsOf(kind, folder, names)) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { ...inventory, problem: code === 'ENOENT' ? `${folder} does not exist` : message }
  }
}

/** Finds the files of a model. Rejects with an `EngineError` that names the missing files. */
export async function findModel(task: ModelTask, settings: { readonly model: string }): Promise<ModelFiles> {
  const { kind, found, metadata, problem } = await inspectModel(task, settings)
  if (problem !== undefined || !kind)
    throw new EngineError(task, 'sherpa', problem ?? `${settings.model} is not a model of a known kind`)
  return { task, kind, files: Object.fromEntries(found.map(({ part, path }) => [part, path])), metadata }
}

/** Smaller models first: quantized ones need less memory and time, and are hardly less accurate. */
function byPreference(a: string, b: string): number {
  const rank = (name: string) => (name.includes('int8') ? 0 : name.includes('fp16') ? 2 : 1)
  return rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1)
}

/** Returns the kind by the names of the files, and by the metadata where several kinds have the same names. */
async function kindOf(
  task: ModelTask,
  folder: string,
  names: readonly string[],
): Promise<ModelKind | undefined> {
  const find = ({ pattern }: Part) => names.find(name => pattern.test(name))
  const metadataOf = (name: string) => readOnnxMetadata(join(folder, name))
  const model = find(anyOnnx)
  if (model === undefined) return undefined
  if (task === 'synthesis') {
    if (find(PARTS.matcha.vocoder!) || model.startsWith('model-steps')) return 'matcha'
    const { comment = '', model_type: type = '' } = Object.fromEntries(await metadataOf(model))
    if (names.includes('voices.bin')) return /kitten/i.test(type + comment) ? undefined : 'kokoro'
    return 'vits'
  }
  const encoder = find(transducer.encoder)
  if (find(transducer.joiner) && encoder)
    return transducerKind(await metadataOf(encoder), basename(folder) + encoder)
  if (find(PARTS.moonshine.uncachedDecoder!)) return 'moonshine'
  if (encoder) return (await metadataOf(encoder)).has('n_text_layer') ? 'whisper' : undefined
  const metadata = await metadataOf(model)
  if (metadata.has('lfr_window_size') && metadata.has('lang_auto')) return 'sense-voice'
  if (metadata.has('decode_chunk_len')) return 'streaming-zipformer2-ctc'
  return metadata.has('window_size') && metadata.has('chunk_shift') ? 'streaming-nemo-ctc' : undefined
}

function transducerKind(encoder: ReadonlyMap<string, string>, name: string): RecognitionKind {
  const streams =
    encoder.has('decode_chunk_len') || (encoder.has('window_size') && encoder.has('chunk_shift'))
  if (streams || /streaming|chunk-\d/.test(name)) return 'streaming-transducer'
  return encoder.has('pred_hidden') ? 'nemo-transducer' : 'transducer'
}

async function partsOf(kind: ModelKind, folder: string, names: readonly string[]) {
  const found: { part: string; path: string; bytes: number }[] = []
  const missing: string[] = []
  for (const [part, { pattern, name, optional, all }] of Object.entries(PARTS[kind])) {
    const files = names.filter(each => pattern.test(each)).slice(0, all ? undefined : 1)
    if (files.length > 0)
      found.push(
        await partAt(
          part,
          files.map(file => join(folder, file)),
        ),
      )
    else if (!optional) missing.push(name)
  }
  const [first] = found
  const metadata = first?.path.endsWith('.onnx')
    ? await readOnnxMetadata(first.path)
    : new Map<string, string>()
  if (needsEspeak(kind, metadata) && !names.includes('espeak-ng-data')) missing.push('espeak-ng-data')
  const bytes = found.reduce((sum, part) => sum + part.bytes, 0)
  const problem =
    missing.length > 0 ? `${folder} has no ${missing.join(', ')}, for a ${kind} model` : undefined
  return { found, missing, bytes, metadata, problem }
}

/** Piper's voices, and some of Matcha, pronounce words with the data of eSpeak NG. */
function needsEspeak(kind: ModelKind, metadata: ReadonlyMap<string, string>): boolean {
  if (kind === 'vits') return /piper|coqui/.test(metadata.get('comment') ?? '')
  return kind === 'matcha' && metadata.get('has_espeak') === '1'
}

async function partAt(part: string, paths: readonly string[]) {
  const sizes = await Promise.all(paths.map(async path => (await stat(path)).size))
  return { part, path: paths.join(','), bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
