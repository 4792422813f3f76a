/** Tiny models of whole utterances, as sherpa-onnx expects them: SenseVoice, Whisper, Silero's detector, and a VITS voice. */
import { FLOAT, INT32, INT64, integers, node, onnxModel, tensor, value } from './onnx-writer.ts'
import { scores, TOKENS, tokensFile } from './streaming-tone-models.ts'
import { BINS, pitchOf, WORDS } from './tone-words.ts'

/** SenseVoice does not normalize its samples: its levels are higher by the square of 32768. */
const QUIET = -2 + 2 * Math.log(32_768)
const LANGUAGES = { auto: 0, zh: 3, en: 4, yue: 7, ja: 11, ko: 12 }
const TAGS = [
  '<|zh|>',
  '<|en|>',
  '<|yue|>',
  '<|ja|>',
  '<|ko|>',
  '<|NEUTRAL|>',
  '<|Speech|>',
  '<|withitn|>',
  '<|woitn|>',
]
const WITH_ITN = 14
/** Seven frames are stacked; the middle one counts. */
const STACKED = 7

/** SenseVoice: language, emotion, event and form of the text precede the words. Detects Korean when it has to. */
export function senseVoiceFiles(): Record<string, string | Uint8Array> {
  const tokens = [...TOKENS, ...TAGS]
  const size = tokens.length
  const rows = STACKED * BINS
  const only = (tag: string) => tokens.map(token => (token === tag ? 1e3 : 0))
  const byLanguage = Array.from({ length: 16 }, (_, id) => {
    const [name = 'auto'] = Object.entries(LANGUAGES).find(([, known]) => known === id) ?? []
    return only(`<|${name === 'auto' ? 'ko' : name}|>`)
  })
  const byForm = Array.from({ length: 16 }, (_, id) => only(id === WITH_ITN ? '<|withitn|>' : '<|woitn|>'))
  const model = onnxModel({
    inputs: [
      value('x', ['N', 'T', rows]),
      value('x_length', ['N'], INT32),
      value('language', ['N'], INT32),
      value('text_norm', ['N'], INT32),
    ],
    outputs: [value('logits', ['N', 'T_out', size])],
    constants: [
      ...scores(QUIET, size, rows, Math.floor(STACKED / 2) * BINS),
      tensor('languages', [16, size], byLanguage.flat()),
      tensor('forms', [16, size], byForm.flat()),
      tensor('fixed', [1, 2, size], [...only('<|NEUTRAL|>'), ...only('<|Speech|>')]),
      integers('axis', [1]),
    ],
    nodes: [
      node('MatMul', ['x', 'weights'], ['weighted']),
      node('Add', ['weighted', 'bias'], ['words']),
      node('Gather', ['languages', 'language'], ['language_row']),
      node('Unsqueeze', ['language_row', 'axis'], ['language_frame']),
      node('Gather', ['forms', 'text_norm'], ['form_row']),
      node('Unsqueeze', ['form_row', 'axis'], ['form_frame']),
      node('Concat', ['language_frame', 'fixed', 'form_frame', 'words'], ['logits'], { axis: 1 }),
    ],
    metadata: {
      model_type: 'sense_voice_ctc',
      comment: 'tones',
      vocab_size: size,
      lfr_window_size: STACKED,
      lfr_window_shift: 6,
      normalize_samples: 0,
      with_itn: WITH_ITN,
      without_itn: WITH_ITN + 1,
      ...Object.fromEntries(Object.entries(LANGUAGES).map(([name, id]) => [`lang_${name}`, id])),
      neg_mean: Array(rows).fill(0).join(','),
      inv_stddev: Array(rows).fill(1).join(','),
    },
  })
  return { 'model.int8.onnx': model, 'tokens.txt': tokensFile(tokens) }
}

/** Whisper's mel scale: linear below 1000 Hz, logarithmic above; 80 triangles up to 8000 Hz. */
const slaney = (hz: number) =>
  hz < 1_000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1_000)) / Math.log(6.4)
const whisperBin = (hz: number) => Math.round((slaney(hz) / slaney(8_000)) * (BINS + 1)) - 1

/** Whisper: says the loudest word. The first four words are English, the others Spanish. */
export function whisperFiles(): Record<string, string | Uint8Array> {
  const special = [
    '<|endoftext|>',
    '<|sot|>',
    '<|en|>',
    '<|es|>',
    '<|transcribe|>',
    '<|translate|>',
    '<|nospeech|>',
  ]
  const tokens = [...WORDS.map(word => ` ${word}`), ...special, '<|notimestamps|>']
  const id = (token: string) => tokens.indexOf(token)
  const size = tokens.length
  const weights = new Float32Array(BINS * size)
  const bias = new Float32Array(size).fill(-1e4)
  for (const word of WORDS.keys()) {
    const bin = whisperBin(pitchOf(word))
    weights[bin * size + word] = 1
    weights[bin * size + id(word < 4 ? '<|en|>' : '<|es|>')] = 1
    bias[word] = 0
  }
  // Only compared with each other: far below the words.
  bias[id('<|en|>')] = -1e3
  bias[id('<|es|>')] = -1e3
  const state = [1, 'N', 1, BINS]
  const encoder = onnxModel({
    inputs: [value('mel', ['N', BINS, 'T'])],
    outputs: [value('n_layer_cross_k', state), value('n_layer_cross_v', state)],
    constants: [integers('front', [0])],
    nodes: [
      node('ReduceMax', ['mel'], ['loudest'], { axes: [2], keepdims: 1 }),
      node('Transpose', ['loudest'], ['row'], { perm: [0, 2, 1] }),
      node('Unsqueeze', ['row', 'front'], ['n_layer_cross_k']),
      node('Identity', ['n_layer_cross_k'], ['n_layer_cross_v']),
    ],
    metadata: {
      model_type: 'whisper-tones',
      ...{ n_mels: BINS, n_text_layer: 1, n_text_ctx: 16, n_text_state: BINS, n_vocab: size },
      ...{ sot: id('<|sot|>'), eot: id('<|endoftext|>'), blank_id: 0, is_multilingual: 1 },
      ...{ translate: id('<|translate|>'), transcribe: id('<|transcribe|>'), no_speech: id('<|nospeech|>') },
      no_timestamps: id('<|notimestamps|>'),
      sot_sequence: [id('<|sot|>'), id('<|en|>'), id('<|transcribe|>')].join(','),
      all_language_tokens: [id('<|en|>'), id('<|es|>')].join(','),
      all_language_codes: 'en,es',
    },
  })
  const cache = [1, 'N', 16, BINS]
  const decoder = onnxModel({
    inputs: [
      value('tokens', ['N', 'n_tokens'], INT64),
      value('in_n_layer_self_k_cache', cache),
      value('in_n_layer_self_v_cache', cache),
      value('n_layer_cross_k', state),
      value('n_layer_cross_v', state),
      value('offset', [1], INT64),
    ],
    outputs: [
      value('logits', ['N', 1, size]),
      value('out_n_layer_self_k_cache', cache),
      value('out_n_layer_self_v_cache', cache),
    ],
    constants: [
      tensor('weights', [BINS, size], weights),
      tensor('bias', [size], bias),
      tensor(
        'end',
        [size],
        tokens.map(token => (token === '<|endoftext|>' ? 1e6 : 0)),
      ),
      integers('front', [0]),
    ],
    nodes: [
      node('Squeeze', ['n_layer_cross_k', 'front'], ['row']),
      node('MatMul', ['row', 'weights'], ['weighted']),
      node('Add', ['weighted', 'bias'], ['word']),
      // After the first token: the end.
      node('Cast', ['offset'], ['position'], { to: FLOAT }),
      node('Mul', ['end', 'position'], ['ending']),
      node('Add', ['word', 'ending'], ['logits']),
      node('Identity', ['in_n_layer_self_k_cache'], ['out_n_layer_self_k_cache']),
      node('Identity', ['in_n_layer_self_v_cache'], ['out_n_layer_self_v_cache']),
    ],
  })
  const encoded = tokens.map((token, at) => `${Buffer.from(token).toString('base64')} ${at}\n`).join('')
  return {
    'tiny-encoder.onnx': encoder,
    'tiny-decoder.onnx': decoder,
    'tiny-tokens.txt': encoded,
  }
}

/** Silero's fifth generation, by its inputs: speech is whatever has a level. */
export function vadModel(): Uint8Array {
  return onnxModel({
    inputs: [value('input', ['N', 'n']), value('state', [2, 'N', 128]), value('sr', ['one'], INT64)],
    outputs: [value('output', ['N', 1]), value('stateN', [2, 'N', 128])],
    constants: [tensor('loud', [], [1e-4]), tensor('steepness', [], [1e5])],
    nodes: [
      node('Mul', ['input', 'input'], ['power']),
      node('ReduceMean', ['power'], ['mean'], { axes: [1], keepdims: 1 }),
      node('Sub', ['mean', 'loud'], ['above']),
      node('Mul', ['above', 'steepness'], ['scaled']),
      node('Sigmoid', ['scaled'], ['output']),
      node('Identity', ['state'], ['stateN']),
    ],
  })
}

/** Words of other tests, which the voice speaks as tones too. */
const OTHER_WORDS =
  'buenos días me gustaría reservar una mesa para mañana uno dos y tres cuatro cinco seis palabra hola ñandú voices hello speak'

const RATE = 16_000
/** Samples of a spoken word. */
const SPOKEN = RATE / 4

/** A VITS voice with a lexicon: a word is its tone, a mark is silence; 250 ms each. */
export function voiceFiles(
  metadata: Readonly<Record<string, string>> = {},
): Record<string, string | Uint8Array> {
  const words = WORDS.map(word => word.toLowerCase())
  const phones = [' ', ...words, '.', ',']
  const others = OTHER_WORDS.split(' ').map((word, at) => `${word} ${words[at % words.length]}\n`)
  const speeds = phones.map(phone => {
    const word = words.indexOf(phone)
    return word < 0 ? 0 : (2 * Math.PI * pitchOf(word)) / RATE
  })
  const model = onnxModel({
    inputs: [
      value('x', ['N', 'L'], INT64),
      value('x_length', ['N'], INT64),
      value('noise_scale', [1]),
      value('length_scale', [1]),
      value('noise_scale_w', [1]),
    ],
    outputs: [value('y', ['N', 1, 'S'])],
    constants: [
      tensor('speeds', [speeds.length], speeds),
      tensor(
        'time',
        [1, 1, SPOKEN],
        Float32Array.from({ length: SPOKEN }, (_, n) => n),
      ),
      tensor('level', [], [0.3]),
      integers('last', [2]),
      integers('whole', [1, 1, -1]),
    ],
    nodes: [
      node('Gather', ['speeds', 'x'], ['speed']),
      node('Unsqueeze', ['speed', 'last'], ['each']),
      node('Mul', ['each', 'time'], ['phase']),
      node('Sin', ['phase'], ['tone']),
      node('Mul', ['tone', 'level'], ['soft']),
      node('Reshape', ['soft', 'whole'], ['y']),
    ],
    metadata: {
      sample_rate: RATE,
      n_speakers: 1,
      language: 'English',
      comment: 'tones',
      punctuation: '. ,',
      add_blank: 0,
      ...metadata,
    },
  })
  return {
    'model.onnx': model,
    'tokens.txt': tokensFile(phones),
    'lexicon.txt': [...words.map(word => `${word} ${word}\n`), ...others].join(''),
  }
}
