import type { VoiceEntry } from '../../../src/service/contract.ts'
import type { Speech, Synthesizer } from '../../../src/service/server/engines/engine.ts'

/** Possible faults, one per check of the suite. */
export interface MouthFaults {
  readonly repeatsVoice?: boolean
  readonly takesAnyVoice?: boolean
  readonly whispers?: boolean
  readonly mixes?: boolean
  readonly readsOptions?: boolean
  readonly throwsOnAbort?: boolean
}

const VOICE: VoiceEntry = {
  voiceId: 'toy',
  name: 'Toy',
  languageId: 'es-es',
  voiceGender: 'M',
  voiceEngine: 'standard',
  modes: ['block'],
}

/** Hums for 50 ms per letter, correct except for `faults`. */
export class ToyMouth implements Synthesizer {
  readonly name = 'toy'
  readonly voices: readonly VoiceEntry[]
  readonly #faults: MouthFaults
  #speaking = 0

  constructor(faults: MouthFaults = {}) {
    this.#faults = faults
    this.voices = faults.repeatsVoice ? [VOICE, VOICE] : [VOICE]
  }

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    if (!this.#faults.takesAnyVoice && voiceId !== 'toy') throw new RangeError(voiceId)
    const letters = this.#faults.readsOptions && text.startsWith('-') ? '' : text
    return { rate: 16_000, pieces: this.#hum(letters.length, signal) }
  }

  async close(): Promise<void> {}

  async *#hum(letters: number, signal: AbortSignal): AsyncGenerator<Int16Array> {
    const { whispers, mixes, throwsOnAbort } = this.#faults
    this.#speaking++
    await new Promise(resolve => setTimeout(resolve, 5))
    const length = mixes && this.#speaking > 1 ? 400 : 800
    for (let n = 0; n < letters; n++) {
      if (signal.aborted && throwsOnAbort) throw new Error('aborted')
      if (signal.aborted) break
      yield new Int16Array(length).fill(whispers ? 20 : 4_000)
    }
    this.#speaking--
  }
}
