import { type Clock, Ticker } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { OpusEncoder } from '../../../transcode/opus.ts'
import { FRAME_MS, FRAME_SAMPLES, mixInto, SILENT_FRAME } from '../../../transcode/pcm.ts'
import type { LinkCounters } from '../counters.ts'
import { OutputLeg } from './output-leg.ts'
import type { PacketPlayer } from './rtp-packet.ts'

/** Silence frame. Discord's clients send several at the end of speech, so that decoders do not extrapolate. */
const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe)
const SILENCE_FRAMES = 5
/** Maximum number of slots sent in one tick after a stall; later ones are skipped. */
const CATCH_UP_SLOTS = 3
/** Tolerance for early and late ticks. */
const EARLY_MS = FRAME_MS / 2
/** Gain of the sources that started later, and its maximum change per frame: −8 dB within 60 ms. */
const DUCKED = 0.4
const GAIN_STEP = 0.2

export interface ChannelOutputOptions {
  /** Unique in this process; prefix of leg IDs: `<id> ear <language>`. */
  readonly id: string
  readonly player: PacketPlayer
  readonly pacer: OutputPacer
  readonly counters: LinkCounters
}

/**
 * The bot's one outgoing stream in a voice channel, mixed from its legs. During speech, slots lie on an absolute grid
 * of 20 ms; between stretches of speech, the output is idle. The creator closes it.
 */
export class ChannelOutput implements Paced {
  readonly #options: ChannelOutputOptions
  readonly #encoder = new OpusEncoder({ channels: 2 })
  readonly #legs: OutputLeg[] = []
  readonly #mix = new Int16Array(FRAME_SAMPLES)
  #made = 0
  #slots = 0
  /** Time of the next slot; NaN while idle. */
  #due = Number.NaN
  /** Still to be sent after the end of speech: the encoder's remainder, then silence frames. */
  #rest = false
  #tail = 0
  #paced = false
  #closed = false

  constructor(options: ChannelOutputOptions) {
    this.#options = options
  }

  /** Audio reaches the channel. */
  get open(): boolean {
    return this.#options.player.playable
  }

  /** Creates a leg. The caller admits the leg and owns it; it leaves the mix when it ends. */
  openLeg(language: LanguageId): OutputLeg {
    if (this.#closed) throw new RangeError(`output ${this.#options.id} is closed`)
    const nth = this.#made++ === 0 ? '' : ` ${this.#made}`
    const leg = new OutputLeg(`${this.#options.id} ear ${language}${nth}`, language, this)
    this.#legs.push(leg)
    return leg
  }

  /** For a leg: there is audio to send. */
  wake(): void {
    if (this.#paced || this.#closed) return
    this.#paced = true
    this.#options.pacer.add(this)
  }

  /** For a leg that has ended. */
  remove(leg: OutputLeg): void {
    const at = this.#legs.indexOf(leg)
    if (at >= 0) this.#legs.splice(at, 1)
  }

  /** For a leg: frames that its queue had no room for. */
  dropped(frames: number): void {
    this.#options.counters.overflowed += frames
  }

  tick(now: number): void {
    if (!this.open) {
      // The output legs keep their audio; the grid restarts when the channel can receive again.
      this.#due = Number.NaN
      this.#tail = 0
      this.#rest = false
      return
    }
    if (Number.isNaN(this.#due)) this.#due = now
    for (let slots = 0; this.#due <= now + EARLY_MS; slots++) {
      if (slots === CATCH_UP_SLOTS) {
        const missed = Math.floor((now + EARLY_MS - this.#due) / FRAME_MS) + 1
        this.#options.counters.slotsMissed += missed
        this.#due += missed * FRAME_MS
        return
      }
      if (!this.#slot()) {
        this.#sleep()
        return
      }
      this.#due += FRAME_MS
    }
  }

  /** Stops sending and ends the legs. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const leg of [...this.#legs]) void leg.close({ kind: 'parent-closed' })
    this.#sleep()
  }

  #sleep(): void {
    this.#due = Number.NaN
    if (!this.#paced) return
    this.#paced = false
    this.#options.pacer.remove(this)
  }

  /** Sends one slot of 20 ms. Returns false if there was no audio for it. */
  #slot(): boolean {
    this.#slots++
    const { player, counters } = this.#options
    if (this.#mixed()) {
      if (this.#tail === 0) player.setSpeaking(true)
      else if (this.#tail <= SILENCE_FRAMES && !this.#rest) counters.starved++
      this.#encode(this.#mix)
      this.#rest = true
      this.#tail = SILENCE_FRAMES
    } else if (this.#rest) {
      // The encoder still holds the last 6.5 ms of speech.
      this.#encode(SILENT_FRAME)
      this.#rest = false
    } else if (this.#tail > 0) {
      player.play(SILENCE)
      if (--this.#tail === 0) player.setSpeaking(false)
    } else {
      for (const leg of this.#legs) leg.sent()
      return false
    }
    for (const leg of this.#legs) leg.sent()
    return true
  }

  #encode(frame: Int16Array): void {
    this.#options.counters.encodedMs += FRAME_MS
    this.#options.player.play(this.#encoder.encode(frame))
  }

  /** Mixes the legs' next frames. The first to start plays at full level, the others attenuated. */
  #mixed(): boolean {
    let any = false
    for (const leg of this.#legs) {
      const frame = leg.take()
      if (frame === undefined) {
        leg.soundingSince = 0
        continue
      }
      const begins = leg.soundingSince === 0
      if (begins) leg.soundingSince = this.#slots
      const target = this.#leads(leg) ? 1 : DUCKED
      const from = begins ? target : leg.gain
      const to = Math.max(from - GAIN_STEP, Math.min(from + GAIN_STEP, target))
      leg.gain = to
      if (!any) this.#mix.fill(0)
      mixInto(this.#mix, frame, from, to)
      any = true
    }
    return any
  }

  /** Returns whether no other leg has been playing for longer. */
  #leads(leg: OutputLeg): boolean {
    for (const other of this.#legs) {
      if (other === leg || other.soundingSince === 0) continue
      if (other.soundingSince < leg.soundingSince) return false
      if (other.soundingSince === leg.soundingSince && this.#legs.indexOf(other) < this.#legs.indexOf(leg))
        return false
    }
    return true
  }
}

/** A task that runs every 20 ms. Must not throw. */
export interface Paced {
  tick(now: number): void
}

/**
 * The timer shared by all voice channels of the process: their audio, in both directions, advances on one absolute grid
 * of 20 ms. It stops when it has no tasks. Tasks remove themselves.
 */
export class OutputPacer {
  readonly #clock: Clock
  readonly #paced = new Set<Paced>()
  #ticker: Ticker | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get clock(): Clock {
    return this.#clock
  }

  get size(): number {
    return this.#paced.size
  }

  add(paced: Paced): void {
    this.#paced.add(paced)
    this.#ticker ??= new Ticker(this.#clock, FRAME_MS, now => this.#tick(now))
  }

  remove(paced: Paced): void {
    this.#paced.delete(paced)
    if (this.#paced.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  #tick(now: number): void {
    for (const paced of this.#paced) paced.tick(now)
  }
}
