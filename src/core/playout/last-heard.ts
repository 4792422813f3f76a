import { FRAME_MS } from '../../transcode/pcm.ts'
import type { Sound } from '../model/announcer.ts'
import type { SpeechReader } from '../utterance/speech-audio.ts'
import type { SpokenUtterance } from './translation-queue.ts'

/** Maximum length kept of a translation: its last 20 s. */
const KEPT_FRAMES = 20_000 / FRAME_MS

interface Kept {
  readonly speech: SpokenUtterance
  readonly speaker: string
  /** Keeps its audio. */
  readonly reader: SpeechReader
}

/**
 * Translations recently played to one listener, for repetition: the last one that was sent completely, and all whose
 * playback is not yet confirmed. All listeners share their audio.
 */
export class LastHeard {
  /** Started translations without confirmed playback, by utterance id and in order. */
  readonly #unheard = new Map<string, Kept>()
  #last: Kept | undefined

  /** Records the start of `speech` by `speaker`. Another reader must have kept it from its start. */
  begun(speech: SpokenUtterance, speaker: string): void {
    const before = this.#unheard.get(speech.id)
    this.#unheard.set(speech.id, { speech, speaker, reader: speech.audio.reader() })
    if (before) this.#giveBack(before)
  }

  /** Records that it was sent completely; it replaces the previous one as the last translation. */
  finished({ id }: SpokenUtterance): void {
    const kept = this.#unheard.get(id)
    if (!kept) return
    kept.reader.skipTo(kept.speech.audio.frames - KEPT_FRAMES)
    const before = this.#last
    this.#last = kept
    if (before) this.#giveBack(before)
  }

  /** Records that its playback was confirmed or abandoned. */
  settled({ id }: SpokenUtterance): void {
    const kept = this.#unheard.get(id)
    this.#unheard.delete(id)
    if (kept) this.#giveBack(kept)
  }

  /** Returns the started translations of `speaker` without confirmed playback that are kept from their start, in order. */
  unheard(speaker: string): SpokenUtterance[] {
    return Array.from(this.#unheard.values())
      .filter(kept => kept.speaker === speaker && kept.reader.at === 0)
      .map(({ speech }) => speech)
  }

  /** Returns a copy of the last translation as a sound, or undefined. */
  sound(): Sound | undefined {
    const pcm = this.#last?.reader.rest()
    return pcm && pcm.length > 0 ? { name: 'repeat', pcm } : undefined
  }

  /** Releases all audio. */
  clear(): void {
    for (const { reader } of this.#unheard.values()) reader.close()
    this.#unheard.clear()
    this.#last?.reader.close()
    this.#last = undefined
  }

  #giveBack(kept: Kept): void {
    if (kept !== this.#last && kept !== this.#unheard.get(kept.speech.id)) kept.reader.close()
  }
}
