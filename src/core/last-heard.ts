import { FRAME_MS, joined } from '../transcode/pcm.ts'
import type { Sound } from './sound.ts'
import type { Speech } from './translation-lane.ts'
import type { UtteranceReader } from './utterance-audio.ts'

/** The most of one translation that is kept: its last 20 s (640 kB), once for all who heard it. */
const KEPT_FRAMES = 20_000 / FRAME_MS

interface Kept {
  readonly speech: Speech
  /** Holds on to the audio from its place on. */
  readonly hold: UtteranceReader
}

/**
 * The last translation that one listener heard, so that it can be heard again. The audio is not copied: a place in it is
 * held, as listeners do, so everybody who heard the same utterance shares it.
 */
export class LastHeard {
  /** Being heard: one a speaker. */
  readonly #begun = new Map<string, Kept>()
  #last: Kept | undefined

  /** `speech` has just begun for this listener, who holds a place in it themself. */
  begun(speech: Speech): void {
    this.#begun.set(speech.id, { speech, hold: speech.audio.reader() })
  }

  /** It was played to its end: what was kept before is given back. */
  finished({ id }: Speech): void {
    const kept = this.#begun.get(id)
    if (!kept) return
    this.#begun.delete(id)
    while (kept.speech.audio.frames - kept.hold.at > KEPT_FRAMES) kept.hold.next()
    this.#last?.hold.close()
    this.#last = kept
  }

  /** It will not be played to its end. */
  dropped({ id }: Speech): void {
    this.#begun.get(id)?.hold.close()
    this.#begun.delete(id)
  }

  /** A copy of it as a sound; undefined when there is none. */
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
    for (const { hold } of this.#begun.values()) hold.close()
    this.#begun.clear()
    this.#last?.hold.close()
    this.#last = undefined
  }
}
