import { mixInto } from '../transcode/mix.ts'
import { FRAME_MS, FRAME_SAMPLES, SILENT_FRAME } from '../transcode/pcm.ts'
import { BridgeError } from './errors.ts'
import type { Leg } from './leg.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Voice } from './voice.ts'

/** Frames in one message once the far side has some ahead: 40 ms. */
const BATCH_FRAMES = 2
/** How far an original voice runs ahead: live audio can only be held back, so this is delay (frames). */
const LIVE_LEAD = 3
/** … when it is only the background of a translation, where a gap would be worse than delay (frames). */
const BACKGROUND_LEAD = 8
/** Confirmations waited for at most. */
const UNCONFIRMED_MOST = 200

export interface PlayoutOptions {
  /** How far ahead of real time translations are sent (ms); what a busy moment of this process may last unheard. */
  readonly leadMs: number
}

/**
 * Mixes what one listener hears and sends it on an absolute grid of 20 ms. The far side plays in real time from a
 * queue of its own; `#drainsAt` is the moment that queue runs dry. Translations are known in advance and are sent
 * `leadMs` ahead, originals are live and follow closely. Nothing to say, nothing sent.
 */
export class Playout {
  readonly #leg: Leg
  readonly #leadMs: number
  readonly #metrics: RelayMetrics
  readonly #voices = new Map<string, Voice>()
  /** The same in an array: what runs every 20 ms makes no iterators. */
  #all: readonly Voice[] = []
  readonly #batch = new Int16Array(BATCH_FRAMES * FRAME_SAMPLES)
  readonly #one = this.#batch.subarray(0, FRAME_SAMPLES)
  readonly #two = this.#batch.subarray(FRAME_SAMPLES)
  #batched = 0
  #drainsAt = Number.NEGATIVE_INFINITY
  readonly #marks: string[] = []
  readonly #unconfirmed = new Map<string, () => void>()
  #framesSent = 0

  constructor(leg: Leg, options: PlayoutOptions, metrics: RelayMetrics) {
    if (!(options.leadMs >= FRAME_MS))
      throw new RangeError(`leadMs must be at least ${FRAME_MS}, got ${options.leadMs}`)
    this.#leg = leg
    this.#leadMs = options.leadMs
    this.#metrics = metrics
  }

  /** Frames sent so far. */
  get framesSent(): number {
    return this.#framesSent
  }

  /** How much of what was sent the far side has not played yet at `now` (ms). */
  aheadMs(now: number): number {
    return Math.max(0, this.#drainsAt - now)
  }

  /** The longest backlog of a translation (ms). */
  get backlogMs(): number {
    let most = 0
    for (const voice of this.#all) most = Math.max(most, voice.translation.backlogMs)
    return most
  }

  get voices(): ReadonlyMap<string, Voice> {
    return this.#voices
  }

  add(voice: Voice): void {
    this.#voices.set(voice.speaker, voice)
    this.#all = [...this.#voices.values()]
  }

  /** Forgets a speaker; what was sent of them is still heard. */
  remove(speaker: string): void {
    this.#voices.get(speaker)?.clear()
    this.#voices.delete(speaker)
    this.#all = [...this.#voices.values()]
  }

  /** Calls `heard` once the far side confirms that it played the frame being mixed now; `name` is unique. */
  mark(name: string, heard: () => void): void {
    // A far side that never confirms must not fill our memory.
    if (this.#unconfirmed.size >= UNCONFIRMED_MOST)
      this.#unconfirmed.delete(this.#unconfirmed.keys().next().value!)
    this.#unconfirmed.set(name, heard)
    this.#marks.push(name)
  }

  /** The far side confirmed `name`; one that is not known (any more) is fine. */
  marked(name: string): void {
    const heard = this.#unconfirmed.get(name)
    this.#unconfirmed.delete(name)
    heard?.()
  }

  /** Drops everything queued, here and at the far side. */
  clear(): void {
    for (const voice of this.#all) voice.clear()
    this.#batched = 0
    this.#marks.length = 0
    this.#unconfirmed.clear()
    this.#drainsAt = Number.NEGATIVE_INFINITY
    this.#leg.flush()
  }

  /** Sends what is due at `now` (ms). Called on every tick, and when something new can be heard at once. */
  pump(now: number): void {
    if (this.#leg.congested) {
      this.#skipWhileCongested()
      return
    }
    // Mostly there is enough ahead, whatever is being played.
    if (
      this.#drainsAt - now > this.#leadMs - BATCH_FRAMES * FRAME_MS &&
      this.#leadMs >= BACKGROUND_LEAD * FRAME_MS
    )
      return
    for (;;) {
      const translating = this.#translating()
      const ahead = Math.max(0, this.#drainsAt - now)
      const prime = this.#live() ? LIVE_LEAD : BACKGROUND_LEAD
      const lead = translating ? this.#leadMs : prime * FRAME_MS
      // The first frame goes at once; after that a message is sent only when a whole one is due.
      if (ahead > 0 && this.#batched === 0 && ahead > lead - BATCH_FRAMES * FRAME_MS) break
      if (!translating && !this.#originalReady(ahead, prime)) break
      if (!this.#mixFrame(translating, prime, ahead)) break
      this.#drainsAt = Math.max(this.#drainsAt, now) + FRAME_MS
      this.#framesSent++
      this.#metrics.framesOut++
      if (this.#batched === BATCH_FRAMES || ahead === 0 || this.#marks.length > 0) this.#send()
    }
    this.#send()
  }

  #translating(): boolean {
    for (const voice of this.#all) if (voice.translation.active) return true
    return false
  }

  #live(): boolean {
    for (const voice of this.#all) if (voice.live) return true
    return false
  }

  #originalReady(ahead: number, prime: number): boolean {
    for (const voice of this.#all) {
      const ready = voice.original.ready(prime)
      // A running voice is taken by whole messages, unless the far side is about to run dry.
      if (ready >= BATCH_FRAMES || (ready > 0 && (this.#batched > 0 || ahead <= FRAME_MS))) return true
    }
    return false
  }

  /** Mixes one frame into the batch; false when no voice had anything. */
  #mixFrame(translating: boolean, prime: number, ahead: number): boolean {
    const out = this.#batched === 0 ? this.#one : this.#two
    let mixed = 0
    for (const voice of this.#all) {
      const translation = voice.translation.next()
      if (translation) {
        if (mixed++ === 0) out.set(translation)
        else mixInto(out, translation, 1, 1)
        voice.translation.settle()
      }
    }
    for (const voice of this.#all) {
      const wanted = voice.wantedGain(translating)
      const original = voice.passes ? voice.original.next(prime) : undefined
      if (original) {
        if (mixed++ === 0) out.set(SILENT_FRAME)
        mixInto(out, original, voice.gain, wanted)
      }
      voice.gain = wanted
    }
    if (translating && (mixed > 0 || ahead === 0)) for (const voice of this.#all) voice.translation.missed()
    if (mixed === 0) return false
    this.#batched++
    return true
  }

  #send(): void {
    if (this.#batched === 0) return
    try {
      this.#leg.play(this.#batched === 1 ? this.#one : this.#batch)
      for (const name of this.#marks) this.#leg.mark(name)
    } catch (cause) {
      // A leg that breaks its promise ends alone: this runs in the speaker's call and in everybody's tick.
      void this.#leg.close({
        kind: 'failed',
        error: new BridgeError('LEG_LOST', 'the leg cannot play', { cause }),
      })
    }
    this.#batched = 0
    this.#marks.length = 0
  }

  /** The far side does not read: originals go by, translations wait (their lane has its own bound). */
  #skipWhileCongested(): void {
    for (const voice of this.#all)
      while (voice.original.next(LIVE_LEAD)) {
        this.#metrics.congestedFrames++
      }
  }
}
