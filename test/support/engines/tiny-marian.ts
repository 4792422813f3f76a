/**
 * A translator of some words that the real Marian loads: a transformer, written by hand, whose weights say what it does.
 * Each target position attends to the source position of the same number, and the word found there selects the target
 * word. Formats: `common/binary.cpp` and `models/transformer.h` of Marian, `sentencepiece_model.proto`.
 */

/** Sizes of a model. */
export interface MarianSize {
  /** Size of a vector. The first half of a position is sines, the second half cosines, from high to low frequencies. */
  readonly dim: number
  readonly feedForward: number
  readonly encoderLayers: number
  readonly decoderLayers: number
  /** Pieces of the vocabulary, of which at most `MOST_PIECES` occur. */
  readonly pieces: number
}

const TINY: MarianSize = { dim: 128, feedForward: 128, encoderLayers: 1, decoderLayers: 1, pieces: 32 }
/** The largest that Firefox has (`base-memory`). */
export const BASE: MarianSize = {
  ...{ dim: 512, feedForward: 2048, encoderLayers: 6, decoderLayers: 2, pieces: 32_000 },
}
/** Frequencies by which positions are told apart, in a vector of 128. */
const FREQUENCIES = 8
const MOST_PIECES = 32
/** Factor of the positions in queries and keys: neighbors then differ by more than 9 before the softmax. */
const SHARP = 10
/** Value of the chosen piece, far above everything else. */
const STRONG = 20
/** Quantization divides by the largest weight, so no matrix is empty. */
const ALMOST_NOTHING = 1e-3

/**
 * Returns the files of a model, as in an installed folder. `words` maps each word to its translation; with a capital
 * letter, it becomes one with a capital letter. Commas and periods stay.
 */
export function tinyMarian(
  words: Readonly<Record<string, string>>,
  size = TINY,
): Readonly<Record<string, Uint8Array>> {
  const all = Array.from(new Set(Object.entries(words).flat()))
  // The first two are Marian's own.
  const pieces = ['</s>', '<unk>', '.', ',', ...all.flatMap(word => [`▁${word}`, `▁${capital(word)}`])]
  if (pieces.length > MOST_PIECES) throw new RangeError(`at most ${MOST_PIECES} pieces, got ${pieces.length}`)
  while (pieces.length < size.pieces) pieces.push(`▁unused${pieces.length}`)
  const pairs = Object.entries(words).flatMap(([from, to]) => [
    [`▁${from}`, `▁${to}`],
    [`▁${capital(from)}`, `▁${capital(to)}`],
  ])
  const into = new Map(pairs.map(([from, to]) => [pieces.indexOf(from!), pieces.indexOf(to!)]))
  return {
    'model.tiny.intgemm8.bin': modelFile(piece => into.get(piece) ?? piece, size),
    'vocab.tiny.spm': vocabulary(pieces),
    // No short list: all pieces are candidates.
    'lex.tiny.bin': new Uint8Array(),
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

type Weight = (row: number, column: number) => number

function modelFile(translated: (piece: number) => number, size: MarianSize): Uint8Array {
  const { dim, feedForward, encoderLayers, decoderLayers, pieces } = size
  /** Where the sines of a position are almost 0. */
  const piecesAt = dim / 4
  const step = dim / TINY.dim
  const nothing: Weight = (row, column) => (row === dim - 1 && column === dim - 1 ? ALMOST_NOTHING : 0)
  const positions: Weight = (row, column) => {
    const at = row % (dim / 2)
    return row === column && at % step === 0 && at < FREQUENCIES * step ? SHARP : 0
  }
  const isPiece = (at: number) => at >= piecesAt && at < piecesAt + MOST_PIECES
  const translation: Weight = (row, column) =>
    isPiece(row) && column === piecesAt + translated(row - piecesAt) ? STRONG : 0
  const same: Weight = (row, column) => (row === column ? 1 : 0)
  const attention = (prefix: string, q: Weight, k: Weight, v: Weight, o: Weight) =>
    Object.entries({ q, k, v, o }).flatMap(([name, weight]) => [
      tensor(`${prefix}_W${name}`, dim, dim, weight),
      tensor(`${prefix}_b${name}`, 1, dim, () => 0),
    ])
  const idle = (prefix: string) => attention(prefix, nothing, nothing, nothing, nothing)
  const idleFeedForward = (prefix: string) => [
    tensor(`${prefix}_W1`, dim, feedForward, nothing),
    tensor(`${prefix}_b1`, 1, feedForward, () => 0),
    tensor(`${prefix}_W2`, feedForward, dim, nothing),
    tensor(`${prefix}_b2`, 1, dim, () => 0),
  ]
  const layers = (count: number, layer: (n: number) => Item[]) =>
    Array.from({ length: count }, (_, n) => layer(n + 1)).flat()
  return binary([
    // Embeddings are multiplied by the root of their size.
    tensor('encoder_Wemb', pieces, dim, (piece, at) =>
      piece < MOST_PIECES && at === piecesAt + piece ? 1 / Math.sqrt(dim) : 0,
    ),
    tensor('decoder_Wemb', pieces, dim, () => 0),
    ...layers(encoderLayers, n => [...idle(`encoder_l${n}_self`), ...idleFeedForward(`encoder_l${n}_ffn`)]),
    ...layers(decoderLayers, n => [
      ...idle(`decoder_l${n}_self`),
      ...(n === 1
        ? attention(`decoder_l${n}_context`, positions, positions, translation, same)
        : idle(`decoder_l${n}_context`)),
      ...idleFeedForward(`decoder_l${n}_ffn`),
    ]),
    tensor('decoder_ff_logit_out_W', dim, pieces, (at, piece) =>
      piece < MOST_PIECES && at === piecesAt + piece ? 1 : 0,
    ),
    tensor('decoder_ff_logit_out_b', 1, pieces, () => 0),
    settings(size),
  ])
}

/** Options of Marian for this model; each is read when it is loaded. */
function settings({ dim, feedForward, encoderLayers, decoderLayers, pieces }: MarianSize): Item {
  const text = `bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: gru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: ${decoderLayers}
dim-emb: ${dim}
dim-rnn: ${dim}
dim-vocabs:
  - ${pieces}
  - ${pieces}
enc-cell: gru
enc-cell-depth: 1
enc-depth: ${encoderLayers}
enc-type: bidirectional
factors-combine: sum
factors-dim-emb: 0
input-types:
  []
layer-normalization: false
lemma-dim-emb: 0
output-omit-bias: false
right-left: false
skip: false
tied-embeddings: false
tied-embeddings-all: false
tied-embeddings-src: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: self-attention
transformer-dim-aan: ${dim}
transformer-dim-ffn: ${feedForward}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: 1
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: a
transformer-postprocess-emb: ""
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.9.0
`
  const data = new TextEncoder().encode(`${text}\0`)
  return { name: 'special:model.yml', type: 0x0101, shape: [data.length], data }
}

interface Item {
  readonly name: string
  /** 0x0404: 32-bit float, 0x0101: 8-bit integer. */
  readonly type: number
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

function tensor(name: string, rows: number, columns: number, weight: Weight): Item {
  const values = Float32Array.from({ length: rows * columns }, (_, at) =>
    weight(Math.floor(at / columns), at % columns),
  )
  return { name, type: 0x0404, shape: [rows, columns], data: new Uint8Array(values.buffer) }
}

/** Alignment of the data, and of each tensor (bytes). */
const ALIGNMENT = 256

function binary(items: readonly Item[]): Uint8Array {
  const padded = items.map(({ data }) => {
    const whole = new Uint8Array(Math.ceil(data.length / ALIGNMENT) * ALIGNMENT)
    whole.set(data)
    return whole
  })
  const names = items.map(({ name }) => new TextEncoder().encode(`${name}\0`))
  const headers = items.flatMap(({ type, shape }, at) => [
    names[at]!.length,
    type,
    shape.length,
    padded[at]!.length,
  ])
  const head = Buffer.concat([
    u64(1, items.length, ...headers),
    ...names,
    ...items.map(({ shape }) => new Uint8Array(Int32Array.from(shape).buffer)),
  ])
  const gap = (ALIGNMENT - ((head.length + 8) % ALIGNMENT)) % ALIGNMENT
  return Buffer.concat([head, u64(gap), new Uint8Array(gap), ...padded])
}

function u64(...values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, BigInt).buffer)
}

/** Kinds of pieces, and the kind of the model. */
const [NORMAL, UNKNOWN, CONTROL] = [1, 2, 3]
const UNIGRAM = 1

function vocabulary(texts: readonly string[]): Uint8Array {
  const pieces = texts.map((piece, id) => {
    const score = new Uint8Array(Float32Array.of(-1).buffer)
    const kind = id === 0 ? CONTROL : id === 1 ? UNKNOWN : NORMAL
    return field(1, Buffer.concat([field(1, Buffer.from(piece)), Buffer.of(0x15), score, number(3, kind!)]))
  })
  // Without a table, texts are taken as they are.
  const normalizer = Buffer.concat([
    field(1, Buffer.from('identity')),
    number(3, 1),
    number(4, 1),
    number(5, 1),
  ])
  return Buffer.concat([...pieces, field(2, number(3, UNIGRAM)), field(3, normalizer)])
}

/** A field of Protocol Buffers with a length, below 128 bytes. */
function field(id: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of((id << 3) | 2, content.length), content])
}

function number(id: number, value: number): Uint8Array {
  return Buffer.of(id << 3, value)
}
