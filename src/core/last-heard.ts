import { FRAME_MS, joined } from '../transcode/pcm.ts'
import type { Sound } from './sound.ts'
import type { Speech } from './translation-lane.ts'
import type { UtteranceReader } from './utterance-audio.ts'

/** The most of one translation that is kept: its last 20 s (640 kB), once for all who heard it. */
const KEPT_FRAMES = 20_000 / FRAME_MS

interface Kept {
  readonly speech: Speech
  readonly speaker: string
  /** Holds on to the audio from its place on. */
  readonly hold: UtteranceReader
}

/**
 * What one listener heard last, so that it can be heard again: the last translation that was sent to its end, and those
 * that are not known to have been heard yet. Audio is not copied: a place in it is held, as listeners do, so everybody
 * who heard the same utterance shares it.
 */
export class LastHeard {
  /** Begun, and not known to have been heard to the end; by utterance, in order. */
  readonly #unheard = new Map<string, Kept>()
  #last: Kept | undefined

  /** `speech` of `speaker` has just begun for this listener, who holds a place at its beginning themself. */
  begun(speech: Speech, speaker: string): void {
    const before = this.#unheard.get(speech.id)
    this.#unheard.set(speech.id, { speech, speaker, hold: speech.audio.reader() })
    if (before) this.#giveBack(before)
  }

  /** It was sent to its end: what was kept before is given back. */
  finished({ id }: Speech): void {
    const kept = this.#unheard.get(id)
    if (!kept) return
    while (kept.speech.audio.frames - kept.hold.at > KEPT_FRAMES) kept.hold.next()
    const before = this.#last
    this.#last = kept
    if (before) this.#giveBack(before)
  }

  /** It was heard to its end, or will never be. */
  settled({ id }: Speech): void {
    const kept = this.#unheard.get(id)
    this.#unheard.delete(id)
    if (kept) this.#giveBack(kept)
  }

  /** What was begun of `speaker` and is not known to have been heard to its end, in order. */
  unheard(speaker: string): Speech[] {
    return Array.from(this.#unheard.values())
      .filter(kept => kept.speaker === speaker && kept.hold.at === 0)
      .map(({ speech }) => speech)
  }

  /** A copy of the last one as a sound; undefined when there is none. */
  sound(): Sound | undefined {
    if (!this.#last) return undefined
    const { speech, hold } = this.#last
    const frames: Int16Array[] = []
    for (let at = hold.at; at < speech.audio.frames; at++) {
      const frame = speech.audio.frame(at)
      if (frame) frames.push(frame)
    }
    return { name: 'repeat', pcm: joined(frames) }
  }

  /** Gives everything back. */
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
