import type { Clock } from '../../../src/common/clock.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { hasDaveFooter } from './dave/mls.ts'
import type { OpenedPacket } from './rtp.ts'
import { opusDecoder, SILENCE_FRAME } from './speech.ts'

/** Statistics of one bot's UDP packets. */
export interface PacketCounts {
  /** Packets that could be opened. */
  readonly packets: number
  /** Of them: frames of speech. */
  readonly frames: number
  /** Of them: Discord's silence frame, `F8 FF FE`. */
  readonly silence: number
  /** Consecutive silence frames at the end, so far. */
  readonly silenceTail: number
  /** Sequence numbers that never arrived. */
  readonly gaps: number
  /** Packets that arrived twice or after a later one; not played. */
  readonly late: number
  /** Op 5 from the bot, in order: its flags and the number of packets by then. */
  readonly speaking: readonly { readonly flags: number; readonly afterPackets: number }[]
  /** Packets with invalid transport encryption. */
  readonly broken: number
  /** Frames under DAVE that no member of the group can decrypt. */
  readonly undecryptable: number
  /** Frames of speech in plaintext although the bot is a member of a DAVE group; they are not played. */
  readonly plaintext: number
  /** Frames that are not valid Opus. */
  readonly undecodable: number
}

/** The same, mutable. */
type PacketCounters = { -readonly [K in Exclude<keyof PacketCounts, 'speaking'>]: number } & {
  speaking: { flags: number; afterPackets: number }[]
}

export function noPackets(): PacketCounters {
  return {
    packets: 0,
    frames: 0,
    silence: 0,
    silenceTail: 0,
    gaps: 0,
    late: 0,
    speaking: [],
    broken: 0,
    undecryptable: 0,
    plaintext: 0,
    undecodable: 0,
  }
}

/** A listener's buffer: later audio leaves a gap. */
const BUFFER_MS = 200
/** Maximum length that is kept. */
const MOST_MS = 30 * 60_000

/**
 * One sender as heard by a listener, at 16 kHz on the wall clock. The first packet of a stretch plays when it arrives;
 * later packets follow seamlessly as long as none is later than a listener’s buffer of 200 ms. Audio faster than real
 * time queues up. Thirty minutes are kept.
 */
export class Heard {
  readonly #openedAt: number
  #pcm = new Int16Array(SAMPLE_RATE * 10)
  /** The end of the audio so far (samples). */
  #end = 0

  constructor(openedAt: number) {
    this.#openedAt = openedAt
  }

  /**
   * `pcm` arrived at `now`, `missing` samples after the packet before it. `begins`: the packet before it ended a
   * stretch, so that no later packet can be late.
   */
  add(pcm: Int16Array, now: number, missing = 0, begins = this.#end === 0): void {
    const arrival = this.#at(now)
    const next = this.#end + missing
    const latest = next + (begins ? 0 : (BUFFER_MS * SAMPLE_RATE) / 1000)
    const from = arrival <= latest ? next : arrival
    const to = from + pcm.length
    if (to > (MOST_MS * SAMPLE_RATE) / 1000) return
    if (to > this.#pcm.length) this.#grow(to)
    this.#pcm.set(pcm, from)
    this.#end = to
  }

  /** A copy of everything from the opening until `now`, or until the end of what is queued. */
  until(now: number): Int16Array {
    const length = Math.max(this.#end, this.#at(now))
    const copy = new Int16Array(length)
    copy.set(this.#pcm.subarray(0, Math.min(length, this.#end)))
    return copy
  }

  #at(now: number): number {
    return Math.max(0, Math.round(((now - this.#openedAt) * SAMPLE_RATE) / 1000))
  }

  #grow(least: number): void {
    const grown = new Int16Array(Math.max(least, this.#pcm.length * 2))
    grown.set(this.#pcm.subarray(0, this.#end))
    this.#pcm = grown
  }
}

/** Result of opening a frame under DAVE. `wait`: a transition is under way, after which it is decided. */
export type Opened = { kind: 'opus'; opus: Buffer } | { kind: 'wait' } | { kind: 'lost' }

/** The listeners' expectations of a bot's frames. */
export interface Expectation {
  /** `beginning`: plaintext is accepted until the bot has encrypted once in this group. */
  readonly encryption: 'free' | 'beginning' | 'demanded'
  /** The group concerned. */
  readonly generation: number
}

export interface BotReceiverOptions {
  readonly clock: Clock
  readonly openedAt: number
  /** Decrypts a frame under DAVE like the members of the group. */
  readonly open: (frame: Buffer) => Opened
  readonly expectation: () => Expectation
}

interface Arrived {
  readonly frame: Buffer
  readonly at: number
  /** Number of packets lost before this one. */
  readonly missing: number
  /** True for speech after silence. */
  readonly begins: boolean
}

/** Maximum number of frames kept during a transition: two seconds. */
const MOST_WAITING = 100
/** A larger difference is a new start, not a loss. */
const MOST_MISSING = 50
const FRAME_SAMPLES = 320

/** The listeners' end of a bot's audio, over all its connections in a call. */
export class BotReceiver {
  readonly counts: PacketCounters = noPackets()
  readonly #options: BotReceiverOptions
  readonly #heard: Heard
  readonly #decoder = opusDecoder()
  #waiting: Arrived[] = []
  #sequence: number | undefined
  /** Frames since the last audible one: they leave a gap. */
  #unheard = 0
  /** The group in which the bot has already encrypted. */
  #encryptedIn: number | undefined

  constructor(options: BotReceiverOptions) {
    this.#options = options
    this.#heard = new Heard(options.openedAt)
  }

  /** The bot has reconnected: its numbers start again. */
  restart(): void {
    this.#sequence = undefined
    this.#encryptedIn = undefined
  }

  speaking(flags: number): void {
    this.counts.speaking.push({ flags, afterPackets: this.counts.packets })
  }

  packet({ frame, sequence }: OpenedPacket): void {
    const { counts } = this
    counts.packets++
    const step = this.#sequence === undefined ? 1 : (sequence - this.#sequence) & 0xffff
    if (step === 0 || step >= 0x8000) {
      counts.late++
      return
    }
    this.#sequence = sequence
    const missing = step - 1
    counts.gaps += missing
    const silent = frame.equals(SILENCE_FRAME)
    const begins = !silent && (counts.silenceTail > 0 || counts.packets === 1)
    counts.silenceTail = silent ? counts.silenceTail + 1 : 0
    if (silent) counts.silence++
    else counts.frames++
    this.#waiting.push({
      frame,
      at: this.#options.clock.now(),
      missing: missing > MOST_MISSING ? 0 : missing,
      begins,
    })
    if (this.#waiting.length > MOST_WAITING) this.#tell(this.#waiting[0], true)
    this.retry()
  }

  /** Processes waiting frames, as far as they can be decrypted now. */
  retry(): void {
    while (this.#waiting.length > 0) if (!this.#tell(this.#waiting[0], false)) return
  }

  /** From the opening of the call until now. */
  heard(): Int16Array {
    return this.#heard.until(this.#options.clock.now())
  }

  /** False if the frame has to wait. */
  #tell(arrived: Arrived | undefined, last: boolean): boolean {
    if (!arrived) return true
    const { frame } = arrived
    const encrypted = hasDaveFooter(frame)
    const opened = encrypted ? this.#options.open(frame) : this.#plain(frame)
    if (opened.kind === 'wait' && !last) return false
    this.#waiting.shift()
    if (encrypted && opened.kind === 'opus') this.#encryptedIn = this.#options.expectation().generation
    if (opened.kind === 'opus') this.#hear(opened.opus, arrived)
    else {
      this.#unheard += arrived.missing + 1
      if (encrypted) this.counts.undecryptable++
      else this.counts.plaintext++
    }
    return true
  }

  #plain(opus: Buffer): Opened {
    const { encryption, generation } = this.#options.expectation()
    const begun = this.#encryptedIn === generation
    const allowed = encryption === 'free' || (encryption === 'beginning' && !begun)
    return allowed || opus.equals(SILENCE_FRAME) ? { kind: 'opus', opus } : { kind: 'lost' }
  }

  #hear(opus: Buffer, { at, missing, begins }: Arrived): void {
    const pcm = this.#decoder.decode(opus)
    if (!pcm) {
      this.counts.undecodable++
      this.#unheard += missing + 1
      return
    }
    this.#heard.add(pcm, at, (this.#unheard + missing) * FRAME_SAMPLES, begins)
    this.#unheard = 0
  }
}
