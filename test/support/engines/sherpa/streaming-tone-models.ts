/**
 * Tiny models that recognize while audio arrives, as sherpa-onnx expects them of Zipformer 2: inputs, caches and metadata
 * are those of the real models, the network is one matrix that picks a mel bin for each word.
 */
import { FLOAT, INT64, integers, node, onnxModel, tensor, value } from './onnx-writer.ts'
import { BINS, binOf, WORDS } from './tone-words.ts'

const BLANK = 0
/** Number of the first word's token. */
export const FIRST_WORD = 3
/** Tokens: a word is one, with the mark of a word's start. */
export const TOKENS = ['<blk>', '<sos/eos>', '<unk>', ...WORDS.map(word => `▁${word}`)]
const SIZE = TOKENS.length
/** Log-mel level above which a bin is a word; digital silence is far below. */
const QUIET = -2
/** Score of what must not be chosen. */
const NEVER = -1e4

/** `tokens.txt`. */
export function tokensFile(tokens: readonly string[]): string {
  return tokens.map((token, id) => `${token} ${id}\n`).join('')
}

/**
 * Weights and bias of the scores for `size` tokens: the level of a word's bin above `quiet`, 0 for the blank. The bins
 * start at row `offset` of `rows`.
 */
export function scores(quiet: number, size = SIZE, rows = BINS, offset = 0) {
  const weights = new Float32Array(rows * size)
  const bias = new Float32Array(size).fill(NEVER)
  bias[BLANK] = 0
  for (const word of WORDS.keys()) {
    weights[(offset + binOf(word)) * size + FIRST_WORD + word] = 1
    bias[FIRST_WORD + word] = -quiet
  }
  return [tensor('weights', [rows, size], weights), tensor('bias', [size], bias)]
}

/** One encoder layer, whose caches pass through unchanged. */
const LAYER = { dim: 8, heads: 1, query: 4, values: 4, left: 4, kernel: 3 }
const CACHES: readonly (readonly [string, readonly (number | string)[]])[] = [
  ['cached_key_0', [LAYER.left, 'N', LAYER.query * LAYER.heads]],
  ['cached_nonlin_attn_0', [1, 'N', LAYER.left, (3 * LAYER.dim) / 4]],
  ['cached_val1_0', [LAYER.left, 'N', LAYER.values * LAYER.heads]],
  ['cached_val2_0', [LAYER.left, 'N', LAYER.values * LAYER.heads]],
  ['cached_conv1_0', ['N', LAYER.dim, Math.floor(LAYER.kernel / 2)]],
  ['cached_conv2_0', ['N', LAYER.dim, Math.floor(LAYER.kernel / 2)]],
  ['embed_states', ['N', 128, 3, 19]],
]
/** Frames of 10 ms per step, and with their right context. */
const CHUNK = 32
const CHUNK_WITH_CONTEXT = CHUNK + 13

const METADATA = {
  model_type: 'zipformer2',
  encoder_dims: LAYER.dim,
  query_head_dims: LAYER.query,
  value_head_dims: LAYER.values,
  num_heads: LAYER.heads,
  num_encoder_layers: 1,
  cnn_module_kernels: LAYER.kernel,
  left_context_len: LAYER.left,
  T: CHUNK_WITH_CONTEXT,
  decode_chunk_len: CHUNK,
}

const INPUTS = [
  value('x', ['N', CHUNK_WITH_CONTEXT, BINS]),
  ...CACHES.map(([name, dims]) => value(name, dims)),
  value('processed_lens', ['N'], INT64),
]
const CACHE_OUTPUTS = [
  ...CACHES.map(([name, dims]) => value(`new_${name}`, dims)),
  value('new_processed_lens', ['N'], INT64),
]
const CACHE_NODES = [
  ...CACHES.map(([name]) => node('Identity', [name], [`new_${name}`])),
  node('Add', ['processed_lens', 'chunk'], ['new_processed_lens']),
]
/** Every fourth frame of the chunk, as scores of the tokens: `levels`. */
const SLICE = [
  integers('starts', [0]),
  integers('ends', [CHUNK]),
  integers('axes', [1]),
  integers('steps', [4]),
  integers('chunk', [CHUNK]),
]
const LEVEL_NODES = [
  node('Slice', ['x', 'starts', 'ends', 'axes', 'steps'], ['every_fourth']),
  node('MatMul', ['every_fourth', 'weights'], ['weighted']),
  node('Add', ['weighted', 'bias'], ['levels']),
]

/** Width of the layers that only cost time. */
const HEAVY = 1_024

/**
 * A streaming CTC model. `layers` matrices of 1024 by 1024 are applied to each chunk in addition, without an effect on the
 * result: the cost of a large model in a small file.
 */
export function ctcFiles({ layers = 0 } = {}): Record<string, string | Uint8Array> {
  const work = layers === 0 ? undefined : workOf(layers)
  const model = onnxModel({
    inputs: INPUTS,
    outputs: [value('log_probs', ['N', CHUNK / 4, SIZE]), ...CACHE_OUTPUTS],
    constants: [...SLICE, ...scores(QUIET), ...(work?.constants ?? [])],
    nodes: [
      ...LEVEL_NODES,
      ...(work?.nodes ?? []),
      node('LogSoftmax', [work?.result ?? 'levels'], ['log_probs'], { axis: -1 }),
      ...CACHE_NODES,
    ],
    metadata: METADATA,
  })
  return { 'model.onnx': model, 'tokens.txt': tokensFile(TOKENS) }
}

function workOf(layers: number) {
  const wide = (rows: number) => Float32Array.from({ length: rows * HEAVY }, (_, n) => Math.sin(n) / HEAVY)
  const steps = Array.from({ length: layers }, (_, n) =>
    node('MatMul', [`work_${n}`, 'square'], [`work_${n + 1}`]),
  )
  return {
    constants: [
      tensor('widen', [BINS, HEAVY], wide(BINS)),
      tensor('square', [HEAVY, HEAVY], wide(HEAVY)),
      tensor('nothing', [], [0]),
    ],
    nodes: [
      node('MatMul', ['x', 'widen'], ['work_0']),
      ...steps,
      node('ReduceMean', [`work_${layers}`], ['worked'], { axes: [1, 2], keepdims: 1 }),
      node('Mul', ['worked', 'nothing'], ['zero']),
      node('Add', ['levels', 'zero'], ['levels_after_work']),
    ],
    result: 'levels_after_work',
  }
}

/**
 * A streaming transducer. The encoder gives the scores, the decoder forbids the last token, so that a long tone is one
 * word, and the joiner adds both.
 */
export function transducerFiles(): Record<string, string | Uint8Array> {
  const forbidden = new Float32Array(SIZE * SIZE)
  for (let token = FIRST_WORD; token < SIZE; token++) forbidden[token * SIZE + token] = NEVER
  // A word that is not the loudest must be less likely than the blank: it would follow when the loudest is forbidden.
  const steepness = TOKENS.map((_, id) => (id < FIRST_WORD ? 0 : 100))
  const encoder = onnxModel({
    inputs: INPUTS,
    outputs: [value('encoder_out', ['N', CHUNK / 4, SIZE]), ...CACHE_OUTPUTS],
    constants: [...SLICE, ...scores(QUIET), tensor('steepness', [SIZE], steepness)],
    nodes: [
      ...LEVEL_NODES,
      node('ReduceMax', ['levels'], ['loudest'], { axes: [2], keepdims: 1 }),
      node('Sub', ['levels', 'loudest'], ['below']),
      node('Mul', ['below', 'steepness'], ['penalty']),
      node('Add', ['levels', 'penalty'], ['encoder_out']),
      ...CACHE_NODES,
    ],
    metadata: METADATA,
  })
  const decoder = onnxModel({
    inputs: [value('y', ['N', 2], INT64)],
    outputs: [value('decoder_out', ['N', SIZE])],
    constants: [tensor('forbidden', [SIZE, SIZE], forbidden), tensor('last', [], [1], INT64)],
    nodes: [
      node('Gather', ['y', 'last'], ['token'], { axis: 1 }),
      node('Gather', ['forbidden', 'token'], ['decoder_out']),
    ],
    metadata: { vocab_size: SIZE, context_size: 2 },
  })
  const joiner = onnxModel({
    inputs: [value('encoder_out', ['N', SIZE], FLOAT), value('decoder_out', ['N', SIZE])],
    outputs: [value('logit', ['N', SIZE])],
    nodes: [node('Add', ['encoder_out', 'decoder_out'], ['logit'])],
    metadata: { joiner_dim: SIZE },
  })
  return {
    'encoder.onnx': encoder,
    'decoder.onnx': decoder,
    'joiner.onnx': joiner,
    'tokens.txt': tokensFile(TOKENS),
    // Scores of SentencePiece; all words are whole pieces.
    'bpe.vocab': TOKENS.map(token => `${token}\t-1\n`).join(''),
  }
}
