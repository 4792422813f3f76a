import type { VoiceEntry } from '../../contract.ts'
import type { Speech, Synthesizer } from '../engine.ts'
import { primedSpeech } from '../engine.ts'
import type { MultiplexedSpeech } from './multiplexed-speech.ts'
import { type OfferedServerVoice, spokenPieces } from './server-voices.ts'
import type { SpeakingVoice } from './speech-protocol.ts'

export interface MultiplexedSynthesizerOptions {
  readonly name: string
  readonly speech: MultiplexedSpeech
  readonly voices: readonly OfferedServerVoice[]
  /** Maximum text length of one utterance at the service. */
  readonly mostLetters: number
}

/** Speech synthesis over connections that all utterances share. Closing it closes `speech`. */
export class MultiplexedSynthesizer implements Synthesizer {
  readonly name: string
  readonly voices: readonly VoiceEntry[]
  readonly #options: MultiplexedSynthesizerOptions
  readonly #known: ReadonlyMap<string, SpeakingVoice>

  constructor(options: MultiplexedSynthesizerOptions) {
    this.name = options.name
    this.voices = options.voices.map(({ entry }) => entry)
    this.#options = options
    this.#known = new Map(
      options.voices.map(({ voice: { voice }, language, entry }) => [entry.voiceId, { voice, language }]),
    )
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#known.get(voiceId)
    if (!voice) throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const { speech, mostLetters } = this.#options
    const pieces = this.#pieces(spokenPieces(text, mostLetters), voice, signal)
    return primedSpeech(pieces, () => speech.rate)
  }

  async close(): Promise<void> {
    this.#options.speech.close()
  }

  async *#pieces(
    texts: readonly string[],
    voice: SpeakingVoice,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    for (const text of texts) {
      if (signal.aborted) return
      yield* spoken(this.#options.speech, text, voice, signal)
    }
  }
}

/** Speaks `text`; ends early without an error when `signal` aborts. */
async function* spoken(
  speech: MultiplexedSpeech,
  text: string,
  voice: SpeakingVoice,
  signal: AbortSignal,
): AsyncGenerator<Int16Array> {
  // Services are faster than real time and limit the length of an utterance, which limits what collects here.
  let pieces: Int16Array[] = []
  let over = false
  let failure: Error | undefined
  let wake = () => {}
  const utterance = speech.start(voice, {
    audio(pcm) {
      pieces.push(pcm)
      wake()
    },
    ended() {
      over = true
      wake()
    },
    failed(error) {
      failure = error
      over = true
      wake()
    },
  })
  const stop = () => {
    over = true
    pieces = []
    wake()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    utterance.say(text, true)
    while (true) {
      const ready = pieces.splice(0)
      for (const piece of ready) {
        if (signal.aborted) return
        yield piece
      }
      if (ready.length > 0) continue
      if (over) break
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
    if (failure && !signal.aborted) throw failure
  } finally {
    signal.removeEventListener('abort', stop)
    utterance.cancel()
  }
}
