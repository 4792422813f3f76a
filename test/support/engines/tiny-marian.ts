/**
 * A translator of some words that the real Marian loads: a transformer, written by hand, whose weights say what it does.
 * Each target position attends to the source position of the same number, and the word found there selects the target
 * word. Formats: `common/binary.cpp` and `models/transformer.h` of Marian, `sentencepiece_model.proto`.
 */

/** Size of a vector. The first half of a position is sines, the second half cosines, from high to low frequencies. */
const DIM = 128
/** Frequencies by which positions are told apart. */
const FREQUENCIES = 8
/** First dimension of the pieces, where the sines of a position are almost 0, and their number. */
const PIECES_AT = 32
const PIECES = 32
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
export function tinyMarian(words: Readonly<Record<string, string>>): Readonly<Record<string, Uint8Array>> {
  const all = Array.from(new Set(Object.entries(words).flat()))
  // The first two are Marian's own.
  const pieces = ['</s>', '<unk>', '.', ',', ...all.flatMap(word => [`▁${word}`, `▁${capital(word)}`])]
  if (pieces.length > PIECES) throw new RangeError(`at most ${PIECES} pieces, got ${pieces.length}`)
  while (pieces.length < PIECES) pieces.push(`▁unused${pieces.length}`)
  const pairs = Object.entries(words).flatMap(([from, to]) => [
    [`▁${from}`, `▁${to}`],
    [`▁${capital(from)}`, `▁${capital(to)}`],
  ])
  const into = new Map(pairs.map(([from, to]) => [pieces.indexOf(from!), pieces.indexOf(to!)]))
  return {
    'model.tiny.intgemm8.bin': modelFile(piece => into.get(piece) ?? piece),
    'vocab.tiny.spm': vocabulary(pieces),
    // No short list: all pieces are candidates.
    'lex.tiny.bin': new Uint8Array(),
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

type Weight = (row: number, column: number) => number

function modelFile(translated: (piece: number) => number): Uint8Array {
  const nothing: Weight = (row, column) => (row === DIM - 1 && column === DIM - 1 ? ALMOST_NOTHING : 0)
  const positions: Weight = (row, column) => {
    const used = row < FREQUENCIES || (row >= DIM / 2 && row < DIM / 2 + FREQUENCIES)
    return row === column && used ? SHARP : 0
  }
  const isPiece = (at: number) => at >= PIECES_AT && at < PIECES_AT + PIECES
  const translation: Weight = (row, column) =>
    isPiece(row) && column === PIECES_AT + translated(row - PIECES_AT) ? STRONG : 0
  const same: Weight = (row, column) => (row === column ? 1 : 0)
  const attention = (prefix: string, q: Weight, k: Weight, v: Weight, o: Weight) =>
    Object.entries({ q, k, v, o }).flatMap(([name, weight]) => [
      tensor(`${prefix}_W${name}`, DIM, DIM, weight),
      tensor(`${prefix}_b${name}`, 1, DIM, () => 0),
    ])
  const idle = (prefix: string) => attention(prefix, nothing, nothing, nothing, nothing)
  const feedForward = (prefix: string) =>
    ['1', '2'].flatMap(name => [
      tensor(`${prefix}_W${name}`, DIM, DIM, nothing),
      tensor(`${prefix}_b${name}`, 1, DIM, () => 0),
    ])
  return binary([
    // Embeddings are multiplied by the root of their size.
    tensor('encoder_Wemb', PIECES, DIM, (piece, at) => (at === PIECES_AT + piece ? 1 / Math.sqrt(DIM) : 0)),
    tensor('decoder_Wemb', PIECES, DIM, () => 0),
    ...idle('encoder_l1_self'),
    ...feedForward('encoder_l1_ffn'),
    ...idle('decoder_l1_self'),
    ...attention('decoder_l1_context', positions, positions, translation, same),
    ...feedForward('decoder_l1_ffn'),
    tensor('decoder_ff_logit_out_W', DIM, PIECES, (at, piece) => (at === PIECES_AT + piece ? 1 : 0)),
    tensor('decoder_ff_logit_out_b', 1, PIECES, () => 0),
    settings(),
  ])
}

/** Options of Marian for this model; each is read when it is loaded. */
function settings(): Item {
  const text = `bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: gru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: 1
dim-emb: ${DIM}
dim-rnn: ${DIM}
dim-vocabs:
  - ${PIECES}
  - ${PIECES}
enc-cell: gru
enc-cell-depth: 1
enc-depth: 1
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
transformer-dim-aan: ${DIM}
transformer-dim-ffn: ${DIM}
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
