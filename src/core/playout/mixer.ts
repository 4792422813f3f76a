import { FADE_SAMPLES } from '../../transcode/fade.ts'
import { peak } from '../../transcode/level.ts'
import { FRAME_MS, FRAME_SAMPLES, mixInto, SILENT_FRAME, saturate } from '../../transcode/pcm.ts'
import type { AnnouncementQueue } from './announcement.ts'
import type { ListenerVoice } from './listener-voice.ts'

/** A step below this is inaudible and needs no fade-out. */
const STEP_LEAST = 32

/** One source in a mix: its gain, and its end where it is cut off, so that no cut clicks. */
export class MixedSource {
  #gain = 0
  /** The last sample mixed. */
  #last = 0
  /** The source is part of the frame being mixed. */
  #mixed = false

  /** The gain at the end of the last frame; 0 when the source is silent. */
  get gain(): number {
    return this.#gain
  }

  /** True if a cut now requires a fade-out. */
  get hanging(): boolean {
    return this.#last > STEP_LEAST || this.#last < -STEP_LEAST
  }

  /** Adds a frame of the source to `out`; its gain runs from `from` to `to`. With `first`, `out` is still empty. */
  mix(out: Int16Array, frame: Int16Array, from: number, to: number, first: boolean): void {
    if (first && from === 1 && to === 1) out.set(frame)
    else {
      if (first) out.set(SILENT_FRAME)
      mixInto(out, frame, from, to)
    }
    this.#gain = to
    this.#last = frame[FRAME_SAMPLES - 1]! * to
    this.#mixed = true
  }

  /** Completes `out`: fades out a source that did not contribute to it. Returns true if the fade-out is audible. */
  settle(out: Int16Array): boolean {
    if (this.#mixed) {
      this.#mixed = false
      return false
    }
    const { hanging } = this
    if (hanging)
      for (let n = 0; n < FADE_SAMPLES; n++)
        out[n] = saturate(out[n]! + (this.#last * (FADE_SAMPLES - 1 - n)) / FADE_SAMPLES)
    this.reset()
    return hanging
  }

  /** The audio mixed last is not played: the next frame starts from silence. */
  reset(): void {
    this.#gain = 0
    this.#last = 0
    this.#mixed = false
  }
}

/** Peak that an amplified original does not exceed where it suddenly becomes loud: −6 dBFS. */
const MOST_PEAK = 16_384

/**
 * Returns the gain at the start of `frame` of an original, whose gain was `from` and changes to `to`. A shout after a
 * whisper must not be amplified while the gain falls; the step of the gain is masked by the shout.
 */
function startGain(from: number, to: number, frame: Int16Array): number {
  return from > 1 && from > to ? Math.max(to, Math.min(from, MOST_PEAK / peak(frame))) : from
}

/** A notice waits this long for the current sentence to end, then interrupts it (ms). */
const NOTICE_PATIENCE_MS = 1_500
/** A pause this short is part of a sentence (ms). */
const WORDS_MS = 500
/**
 * Tolerance for early or late ticks: audio that falls due within this time is sent now, because the next tick would be
 * too late (ms).
 */
export const SLACK_MS = 3
/** With less audio than this queued, the peer can run dry before the next tick (ms). */
const DRY_MS = FRAME_MS + SLACK_MS
/** Background sound plays after this much silence (ms). */
const SILENCE_MS = 1_000

/** One speaker in the mix, with the edges of both voices. */
class Strand {
  readonly voice: ListenerVoice
  readonly original = new MixedSource()
  readonly translation = new MixedSource()

  constructor(voice: ListenerVoice) {
    this.voice = voice
  }

  get hanging(): boolean {
    return this.original.hanging || this.translation.hanging
  }
}

/** Mixes one listener's frames from voices and announcements. Independent of when they are sent. */
export class PlayoutMixer {
  readonly #announcements: AnnouncementQueue
  readonly #voices = new Map<string, ListenerVoice>()
  /** The same as an array, plus removed voices that still fade out; avoids iterators in code that runs every 20 ms. */
  #strands: readonly Strand[] = []
  /** Last playback of an original voice and of a translation (clock ms). */
  #spokenAt = Number.NEGATIVE_INFINITY
  #translatedAt = Number.NEGATIVE_INFINITY

  constructor(announcements: AnnouncementQueue) {
    this.#announcements = announcements
  }

  get voices(): ReadonlyMap<string, ListenerVoice> {
    return this.#voices
  }

  add(voice: ListenerVoice): void {
    this.#voices.set(voice.speaker, voice)
    this.#strands = [...this.#strands, new Strand(voice)]
  }

  /** Removes a speaker; their voice fades out in the next frame. */
  remove(speaker: string): void {
    this.#voices.get(speaker)?.clear()
    this.#voices.delete(speaker)
    this.#tidy()
  }

  /** The audio sent last is not played after all. */
  reset(): void {
    for (const { original, translation } of this.#strands) {
      original.reset()
      translation.reset()
    }
    this.#tidy()
  }

  /** The longest translation backlog (ms). */
  get backlogMs(): number {
    let most = 0
    for (const { voice } of this.#strands) most = Math.max(most, voice.translation.backlogMs)
    return most
  }

  /** True if there is nothing to play or to fade out, now or after a wait. */
  get idle(): boolean {
    if (!this.#announcements.empty) return false
    for (const { voice, original, translation } of this.#strands) {
      if (!voice.original.idle || !voice.translation.empty) return false
      if (original.hanging || translation.hanging) return false
    }
    return true
  }

  /** True if prerecorded or translated audio can play at `now`; such audio can run ahead of real time. */
  known(now: number): boolean {
    return this.#announcing(now) || this.#translating()
  }

  /** True if an original voice is in the middle of a sentence at `now`. */
  talking(now: number): boolean {
    return now - this.#spokenAt < WORDS_MS
  }

  /** True if a voice is played directly, with minimum delay. */
  get live(): boolean {
    for (const { voice } of this.#strands) if (voice.live) return true
    return false
  }

  /** True if an original voice is playing and can continue at any moment. */
  get flowing(): boolean {
    for (const { voice } of this.#strands) if (voice.passes && voice.original.flowing) return true
    return false
  }

  /**
   * True if originals are due to be sent; the peer has `ahead` ms left. `begun`: half a message waits to be completed.
   */
  due(ahead: number, prime: number, begun: boolean, batch: number): boolean {
    for (const strand of this.#strands) {
      const ready = strand.voice.original.ready(prime)
      // A running voice is sent in whole messages, unless the peer is about to run dry.
      if (ready >= batch || (ready > 0 && (begun || ahead < DRY_MS))) return true
      if (ahead < DRY_MS && strand.hanging) return true
    }
    return false
  }

  /** Mixes the next frame into `out`; the peer has `ahead` ms left. Returns false if there was no audio. */
  mix(out: Int16Array, now: number, ahead: number, prime: number): boolean {
    const notice = this.#mayNotice(now)
    const translating = !notice && this.#translating()
    const announced = this.#announcements.next(notice, this.#mayBackground(now))
    if (announced) out.set(announced)
    let mixed = announced ? 1 : 0
    if (translating) mixed += this.#mixTranslations(out, mixed, now, ahead)
    mixed += this.#mixOriginals(out, mixed, now, translating, notice, prime)
    if (translating && (mixed > 0 || ahead <= 0))
      for (const { voice } of this.#strands) voice.translation.missed()
    // An interrupted voice can continue as long as the peer has audio queued.
    if (mixed === 0) {
      if (ahead >= DRY_MS) return false
      out.set(SILENT_FRAME)
    }
    return this.#settle(out) || mixed > 0
  }

  /** Discards originals while the peer does not read. Returns the number of frames. */
  skip(prime: number): number {
    let frames = 0
    for (const { voice } of this.#strands) while (voice.original.next(prime)) frames++
    return frames
  }

  /** Mixes the translations; `before` is the number of voices already in `out`. Returns the number added. */
  #mixTranslations(out: Int16Array, before: number, now: number, ahead: number): number {
    let mixed = 0
    for (const { voice, translation } of this.#strands) {
      const { midway } = voice.translation
      const frame = voice.translation.next()
      if (!frame) continue
      // A new utterance has its own fade-in; continued audio after a cut does not.
      translation.mix(out, frame, midway ? translation.gain : 1, 1, before + mixed === 0)
      mixed++
      voice.tap?.frame(frame, now + ahead)
      voice.translation.settle()
      this.#translatedAt = now
    }
    return mixed
  }

  /**
   * Mixes the originals, likewise; `notice`: under a notice. Their volume fades within one frame, to the lower one under a
   * translation and back.
   */
  #mixOriginals(
    out: Int16Array,
    before: number,
    now: number,
    translating: boolean,
    notice: boolean,
    prime: number,
  ): number {
    let mixed = 0
    for (const { voice, original } of this.#strands) {
      const frame = voice.passes ? voice.original.next(prime) : undefined
      let wanted = 0
      if (frame) {
        wanted = voice.wantedGain(translating, notice)
        original.mix(out, frame, startGain(original.gain, wanted, frame), wanted, before + mixed === 0)
        mixed++
        if (wanted > 0 && !voice.original.quiet) this.#spokenAt = now
      }
      voice.mixed(wanted)
    }
    return mixed
  }

  /** Fades out voices that did not contribute to this frame. Returns true if a fade-out is audible. */
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

  /**
   * True while a notice plays, or if a waiting notice can start: no sentence is playing, or it has waited long enough.
   */
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
