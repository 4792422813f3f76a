import { concat, FRAME_MS } from '../../transcode/pcm.ts'
import type { Sound } from '../model/announcer.ts'
import type { UtteranceReader } from '../utterance/utterance-audio.ts'
import type { Speech } from './translation-queue.ts'

/** Maximum length kept of a translation: its last 20 s (640 kB), shared by all its listeners. */
const KEPT_FRAMES = 20_000 / FRAME_MS

interface Kept {
  readonly speech: Speech
  readonly speaker: string
  /** Keeps the audio from its position onwards in memory. */
  readonly hold: UtteranceReader
}

/**
 * Translations recently played to one listener, for repetition: the last one that was sent completely, and all whose
 * playback is not yet confirmed. Audio is not copied: each entry holds a reader, so all listeners of an utterance share it.
 */
export class LastHeard {
  /** Started translations without confirmed playback, by utterance id and in order. */
  readonly #unheard = new Map<string, Kept>()
  #last: Kept | undefined

  /** Records the start of `speech` by `speaker`. The caller must hold a reader at its start. */
  begun(speech: Speech, speaker: string): void {
    const before = this.#unheard.get(speech.id)
    this.#unheard.set(speech.id, { speech, speaker, hold: speech.audio.reader() })
    if (before) this.#giveBack(before)
  }

  /** Records that it was sent completely; it replaces the previous one as the last translation. */
  finished({ id }: Speech): void {
    const kept = this.#unheard.get(id)
    if (!kept) return
    while (kept.speech.audio.frames - kept.hold.at > KEPT_FRAMES) kept.hold.next()
    const before = this.#last
    this.#last = kept
    if (before) this.#giveBack(before)
  }

  /** Records that its playback was confirmed or abandoned. */
  settled({ id }: Speech): void {
    const kept = this.#unheard.get(id)
    this.#unheard.delete(id)
    if (kept) this.#giveBack(kept)
  }

  /** Returns the started translations of `speaker` without confirmed playback, in order. */
  unheard(speaker: string): Speech[] {
    return Array.from(this.#unheard.values())
      .filter(kept => kept.speaker === speaker && kept.hold.at === 0)
      .map(({ speech }) => speech)
  }

  /** Returns a copy of the last translation as a sound, or undefined. */
  sound(): Sound | undefined {
    if (!this.#last) return undefined
    const { speech, hold } = this.#last
    const frames: Int16Array[] = []
    for (let at = hold.at; at < speech.audio.frames; at++) {
      const frame = speech.audio.frame(at)
      if (frame) frames.push(frame)
    }
    return { name: 'repeat', pcm: concat(frames) }
  }

  /** Releases all audio. */
  clear(): void {
    for (const { hold } of this.#unheard.values()) hold.close()
    this.#unheard.clear()
    this.#last?.hold.close()
    this.#last = undefined
  }

  #giveBack(kept: Kept): void {
    if (kept !== this.#last && kept !== this.#unheard.get(kept.speech.id)) kept.hold.close()
  }
}
