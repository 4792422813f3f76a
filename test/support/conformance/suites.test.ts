import { describe } from 'vitest'
import { TONE_WORDS } from '../engines/live/tone-ears.ts'
import { toneSpeech } from '../engines/live/tone-speech.ts'
import { sine } from '../transcode/tone.ts'
import { type EarFaults, EnergyEars } from './energy-recognizer.ts'
import { failsFor } from './fails-for.ts'
import { speechToTextChecks } from './speech-to-text.ts'
import { speechTranslatorChecks } from './speech-translator.ts'
import { synthesizerChecks } from './synthesizer.ts'
import { textTranslatorChecks } from './text-translator.ts'
import { type InterpreterFaults, ToyInterpreter } from './toy-interpreter.ts'
import { type MouthFaults, ToyMouth } from './toy-synthesizer.ts'
import { ToyTranslator, type TranslatorFaults } from './toy-translator.ts'

/** 100 ms of room noise, a word of 1.4 s, 500 ms, another, 500 ms. */
const pcm = new Int16Array(16 * 3_900)
pcm.set(sine(400, 1_400), 16 * 100)
pcm.set(sine(500, 1_400), 16 * 2_000)

const ears = (faults?: EarFaults) => () => ({
  engine: new EnergyEars(faults),
  pcm,
  words: ['one', 'two'],
  patienceMs: 1_500,
})
const words = (faults?: TranslatorFaults) => () => ({
  engine: new ToyTranslator(faults),
  from: 'en-us',
  to: 'es-es',
  sentences: [
    ['the house', 'casa'],
    ['a dog', 'perro'],
  ] as const,
})
const interpreter = (faults?: InterpreterFaults) => () => ({
  engine: new ToyInterpreter(faults),
  from: 'en-us',
  to: 'es-es',
  pcm: toneSpeech(2, 100, 300),
  said: TONE_WORDS.slice(0, 2),
  patienceMs: 1_500,
})
const mouth = (faults?: MouthFaults) => () => new ToyMouth(faults)

describe('the suite for speech to text', { timeout: 60_000 }, () => {
  failsFor(speechToTextChecks, ears(), [
    ['lists an invalid language', ears({ language: 'English' }), 'lists languages in the interface’s form'],
    ['accepts any language', ears({ takesAnyLanguage: true }), 'rejects a language that it does not list'],
    [
      'swaps utterances',
      ears({ swapsOrder: true }),
      'recognizes every utterance of a stream, in order, each once',
    ],
    ['ends late', ears({ endsTooLate: true }), 'places utterances within the audio, one after the other'],
    [
      'never finishes the last utterance',
      ears({ waitsForever: true }),
      'finishes the last utterance when the audio stops',
    ],
    ['keeps the buffer', ears({ keepsBuffer: true }), 'copies its input'],
    [
      'sends results after close',
      ears({ talksAfterClose: true }),
      'sends nothing after close, which can be called at any time and twice',
    ],
    ['hides its queue', ears({ hidesQueue: true }), 'reports how much is still waiting'],
  ])
})

describe('the suite for translation', () => {
  failsFor(textTranslatorChecks, words(), [
    [
      'offers English to English',
      words({ sameLanguage: true }),
      'lists languages in the interface’s form, and never a pair of the same language',
    ],
    ['repeats the sentence', words({ speechless: true }), 'translates'],
    ['accepts any pair', words({ takesAnyPair: true }), 'rejects a pair that it does not list'],
    [
      'mixes up answers',
      words({ mixesAnswers: true }),
      'returns each of many concurrent answers to its request',
    ],
    ['fails on unusual characters', words({ chokes: true }), 'stays in sync after unusual characters'],
    ['answers after close', words({ livesOn: true }), 'rejects after close'],
  ])
})

describe('the suite for synthesis', () => {
  failsFor(synthesizerChecks, mouth(), [
    [
      'lists a voice twice',
      mouth({ repeatsVoice: true }),
      'lists voices, each once, with all fields of the interface',
    ],
    ['accepts any voice', mouth({ takesAnyVoice: true }), 'rejects a voice that it does not list'],
    [
      'speaks too quietly',
      mouth({ whispers: true }),
      'speaks at a usual rate, audibly, and longer for longer texts',
    ],
    ['mixes up requests', mouth({ mixes: true }), 'serves several at once like a single one'],
    ['interprets text as options', mouth({ readsOptions: true }), 'treats any text as text'],
    ['throws when aborted', mouth({ throwsOnAbort: true }), 'ends quietly when aborted'],
  ])
})

describe('the suite for speech to speech', { timeout: 60_000 }, () => {
  failsFor(speechTranslatorChecks, interpreter(), [
    [
      'offers English to English',
      interpreter({ offersSource: true }),
      'lists target languages in the interface’s form, never the source',
    ],
    [
      'accepts any pair and voice',
      interpreter({ takesAnyPair: true }),
      'rejects a pair or a voice that it does not list',
    ],
    [
      'gives two utterances one number',
      interpreter({ numbersTwice: true }),
      'translates and speaks every utterance, in order, each once',
    ],
    [
      'speaks after the end',
      interpreter({ speaksAfterEnd: true }),
      'speaks before an utterance is over, and its texts only grow',
    ],
    [
      'rewrites a translation',
      interpreter({ rewrites: true }),
      'speaks before an utterance is over, and its texts only grow',
    ],
    [
      'lets utterances overlap',
      interpreter({ misplaces: true }),
      'places utterances within the audio, one after the other',
    ],
    [
      'sends results after close',
      interpreter({ talksAfterClose: true }),
      'sends nothing after close, which can be called at any time and twice',
    ],
  ])
})
