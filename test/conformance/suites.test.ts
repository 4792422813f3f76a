import { describe } from 'vitest'
import { sine } from '../helpers/tone.ts'
import { type EarFaults, EnergyEars } from './energy-ears.ts'
import { failsFor } from './fails-for.ts'
import { speechToTextChecks } from './speech-to-text.ts'
import { synthesizerChecks } from './synthesizer.ts'
import { textTranslatorChecks } from './text-translator.ts'
import { type MouthFaults, ToyMouth } from './toy-mouth.ts'
import { ToyTranslator, type TranslatorFaults } from './toy-translator.ts'

/** 100 ms of room, a word of 1.4 s, 500 ms, another, 500 ms. */
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
const mouth = (faults?: MouthFaults) => () => new ToyMouth(faults)

describe('the suite for speech to text', { timeout: 60_000 }, () => {
  failsFor(speechToTextChecks, ears(), [
    ['names a language wrongly', ears({ language: 'English' }), 'names languages of the interface’s form'],
    ['takes any language', ears({ takesAnyLanguage: true }), 'refuses a language it does not name'],
    ['swaps', ears({ swapsOrder: true }), 'understands every utterance of a stream, in order, each once'],
    ['ends late', ears({ endsTooLate: true }), 'places utterances within the audio, one after the other'],
    ['waits', ears({ waitsForever: true }), 'finishes the last utterance when the audio just stops'],
    ['keeps the buffer', ears({ keepsBuffer: true }), 'copies what it is given'],
    [
      'talks on',
      ears({ talksAfterClose: true }),
      'says nothing after close, which may come at any time and twice',
    ],
    ['hides its queue', ears({ hidesQueue: true }), 'tells how much is still waiting'],
  ])
})

describe('the suite for translation', () => {
  failsFor(textTranslatorChecks, words(), [
    [
      'offers English to English',
      words({ sameLanguage: true }),
      'names languages of the interface’s form, and never the same language',
    ],
    ['repeats the sentence', words({ speechless: true }), 'translates'],
    ['takes any pair', words({ takesAnyPair: true }), 'refuses a pair it does not name'],
    ['mixes answers', words({ mixesAnswers: true }), 'gives each of many at once its own answer'],
    ['chokes', words({ chokes: true }), 'stays in step after odd characters'],
    ['lives on', words({ livesOn: true }), 'rejects after close'],
  ])
})

describe('the suite for synthesis', () => {
  failsFor(synthesizerChecks, mouth(), [
    [
      'repeats a voice',
      mouth({ repeatsVoice: true }),
      'lists voices, each once, with all that the interface asks',
    ],
    ['takes any voice', mouth({ takesAnyVoice: true }), 'refuses a voice it does not list'],
    [
      'whispers',
      mouth({ whispers: true }),
      'speaks: at a usual rate, audibly, and longer the more there is to say',
    ],
    ['mixes', mouth({ mixes: true }), 'speaks to several at once as to one alone'],
    ['reads options', mouth({ readsOptions: true }), 'takes any text as text'],
    ['throws', mouth({ throwsOnAbort: true }), 'ends quietly when aborted'],
  ])
})
