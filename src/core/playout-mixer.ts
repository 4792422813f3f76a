import { FRAME_MS, SILENT_FRAME } from '../transcode/pcm.ts'
import type { AnnouncementLane } from './announcement-lane.ts'
import { PlayoutEdge } from './playout-edge.ts'
import type { Voice } from './voice.ts'

/** A notice lets the sentence that is being heard come to its end for this long, then cuts in (ms). */
const NOTICE_PATIENCE_MS = 1_500
/** A pause this short is within somebody's words (ms). */
const WORDS_MS = 500
/** Ticks come a little early or late: what falls due within this is due now, as the next tick would be too late (ms). */
export const SLACK_MS = 3
/** With less than this the far side may run dry before the next tick (ms). */
const DRY_MS = FRAME_MS + SLACK_MS
/** Nothing was heard for this long: a background may play (ms). */
const SILENCE_MS = 1_000

/** One speaker in the mix, with the edges of both their voices. */
class Strand {
  readonly voice: Voice
  readonly original = new PlayoutEdge()
  readonly translation = new PlayoutEdge()

  constructor(voice: Voice) {
    this.voice = voice
  }

  get hanging(): boolean {
    return this.original.hanging || this.translation.hanging
  }
}

/** Makes one listener's frames out of voices and announcements. Knows nothing of when they are sent. */
export class PlayoutMixer {
  readonly #announcements: AnnouncementLane
  /** Gain of original voices under a notice. */
  readonly #underNotice: number
  readonly #voices = new Map<string, Voice>()
  /** The same in an array, and those that left until they are at rest: what runs every 20 ms makes no iterators. */
  #strands: readonly Strand[] = []
  /** When an original voice was last heard, and a translation (clock ms). */
  #spokenAt = Number.NEGATIVE_INFINITY
  #translatedAt = Number.NEGATIVE_INFINITY

  constructor(announcements: AnnouncementLane, underNotice: number) {
    this.#announcements = announcements
    this.#underNotice = underNotice
  }

  get voices(): ReadonlyMap<string, Voice> {
    return this.#voices
  }

  add(voice: Voice): void {
    this.#voices.set(voice.speaker, voice)
    this.#strands = [...this.#strands, new Strand(voice)]
  }

  /** Forgets a speaker; their voice comes to rest in the next frame. */
  remove(speaker: string): void {
    this.#voices.get(speaker)?.clear()
    this.#voices.delete(speaker)
    this.#tidy()
  }

  /** What was sent last is not heard after all. */
  reset(): void {
    for (const { original, translation } of this.#strands) {
      original.reset()
      translation.reset()
    }
    this.#tidy()
  }

  /** The longest backlog of a translation (ms). */
  get backlogMs(): number {
    let most = 0
    for (const { voice } of this.#strands) most = Math.max(most, voice.translation.backlogMs)
    return most
  }

  /** Something known in advance can be played at `now`: it may run ahead of real time. */
  known(now: number): boolean {
    return this.#announcing(now) || this.#translating()
  }

  /** An original voice is being heard at `now`, in the middle of its words. */
  talking(now: number): boolean {
    return now - this.#spokenAt < WORDS_MS
  }

  /** Somebody is heard directly, so their voice must come quickly. */
  get live(): boolean {
    for (const { voice } of this.#strands) if (voice.live) return true
    return false
  }

  /** An original voice is on its way that may go on at any moment. */
  get flowing(): boolean {
    for (const { voice } of this.#strands) if (voice.passes && voice.original.flowing) return true
    return false
  }

  /** Originals that the far side should be sent, which has `ahead` ms left; `begun`: half a message waits for more. */
  due(ahead: number, prime: number, begun: boolean, batch: number): boolean {
    for (const strand of this.#strands) {
      const ready = strand.voice.original.ready(prime)
      // A running voice is taken by whole messages, unless the far side is about to run dry.
      if (ready >= batch || (ready > 0 && (begun || ahead < DRY_MS))) return true
      if (ahead < DRY_MS && strand.hanging) return true
    }
    return false
  }

  /** Mixes the next frame into `out`, before which the far side has `ahead` ms; false when nobody had anything. */
  mix(out: Int16Array, now: number, ahead: number, prime: number): boolean {
    const notice = this.#mayNotice(now)
    const translating = !notice && this.#translating()
    const announced = this.#announcements.next(notice, this.#mayBackground(now))
    if (announced) out.set(announced)
    let mixed = announced ? 1 : 0
    if (translating) mixed += this.#mixTranslations(out, mixed, now, ahead)
    mixed += this.#mixOriginals(out, mixed, now, translating, notice ? this.#underNotice : 1, prime)
    if (translating && (mixed > 0 || ahead <= 0))
      for (const { voice } of this.#strands) voice.translation.missed()
    // What was cut off may go on as long as the far side has some ahead.
    if (mixed === 0) {
      if (ahead >= DRY_MS) return false
      out.set(SILENT_FRAME)
    }
    return this.#settle(out) || mixed > 0
  }

  /** Originals go by unheard: the far side does not read. Returns how many frames. */
  skip(prime: number): number {
    let frames = 0
    for (const { voice } of this.#strands) while (voice.original.next(prime)) frames++
    return frames
  }

  /** `before`: how many are in `out` already. Returns how many more there are. */
  #mixTranslations(out: Int16Array, before: number, now: number, ahead: number): number {
    let mixed = 0
    for (const { voice, translation } of this.#strands) {
      const { midway } = voice.translation
      const frame = voice.translation.next()
      if (!frame) continue
      // An utterance fades in by itself; one that goes on after it was cut does not.
      translation.mix(out, frame, midway ? translation.gain : 1, 1, before + mixed === 0)
      mixed++
      voice.tap?.frame(frame, now + ahead)
      voice.translation.settle()
      this.#translatedAt = now
    }
    return mixed
  }

  /** As above; `factor`: how loud originals are against what they would be. */
  #mixOriginals(
    out: Int16Array,
    before: number,
    now: number,
    translating: boolean,
    factor: number,
    prime: number,
  ): number {
    let mixed = 0
    for (const { voice, original } of this.#strands) {
      const wanted = voice.wantedGain(translating) * factor
      const frame = voice.passes ? voice.original.next(prime) : undefined
      if (frame) {
        original.mix(out, frame, original.gain, wanted, before + mixed === 0)
        mixed++
        if (wanted > 0 && !voice.original.quiet) this.#spokenAt = now
      }
      voice.gain = frame ? wanted : 0
    }
    return mixed
  }

  /** Brings to rest who had nothing for this frame; true when one of them is heard in it. */
  #settle(out: Int16Array): boolean {
    let heard = false
    let gone = false
    for (const { voice, original, translation } of this.#strands) {
      if (original.settle(out)) heard = true
      if (translation.settle(out)) heard = true
      if (this.#voices.get(voice.speaker) !== voice) gone = true
    }
    if (gone) this.#tidy()
    return heard
  }

  #tidy(): void {
    this.#strands = this.#strands.filter(
      ({ voice, original, translation }) =>
        this.#voices.get(voice.speaker) === voice || original.hanging || translation.hanging,
    )
  }

  #translating(): boolean {
    for (const { voice } of this.#strands) if (voice.translation.active) return true
    return false
  }

  #announcing(now: number): boolean {
    const { sounding } = this.#announcements
    return sounding || this.#mayNotice(now) || this.#mayBackground(now)
  }

  /** A notice plays, or one waits that may begin: nobody is in mid sentence, or it has waited long enough. */
  #mayNotice(now: number): boolean {
    const { notice, noticing } = this.#announcements
    if (!notice) return false
    if (noticing || now - notice.since >= NOTICE_PATIENCE_MS) return true
    for (const { voice } of this.#strands) if (voice.translation.midway) return false
    return true
  }

  #mayBackground(now: number): boolean {
    if (!this.#announcements.background || this.#translating()) return false
    return now - Math.max(this.#spokenAt, this.#translatedAt) >= SILENCE_MS
  }
}
