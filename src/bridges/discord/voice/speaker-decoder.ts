import { OpusDecoder } from '../../../transcode/opus.ts'
import { OPUS_CLOCK_RATE, opusSamples } from '../../../transcode/opus-packet.ts'
import { FRAME_MS, FRAME_SAMPLES, Framer, SAMPLE_RATE, SILENT_FRAME } from '../../../transcode/pcm.ts'
import type { LinkCounters } from '../counters.ts'

/** RTP clock samples per sample of ours. */
const PER_SAMPLE = OPUS_CLOCK_RATE / SAMPLE_RATE
/** Number of silence frames that a client sends at the end of a turn. */
const SILENCE_FRAMES = 5
/** Without packets and silence frames, the turn ends after this time (ms). */
const STALL_MS = 200
/** Smaller gaps in time are rounding (2.5 ms); larger jumps are another stream (5 s). RTP clock. */
const GAP_LEAST = OPUS_CLOCK_RATE / 400
const JUMP = 5 * OPUS_CLOCK_RATE
/** A larger step back, of more than one packet, is another stream. */
const BACK_MOST = 0.12 * OPUS_CLOCK_RATE
/** Maximum amount of lost audio that is concealed (100 ms); the rest becomes silence, up to 1 s. */
const GUESS_MOST = SAMPLE_RATE / 10
const SILENCE_MOST = SAMPLE_RATE
/** Consecutive packets rejected by the decoder before it is reset. */
const REFUSED_MOST = 25

/**
 * Turns a user's packets, in order, into 20 ms frames: speech, then silence for a while, then nothing.
 *
 *   quiet ──speech──▶ talking ──5 silence frames, or no packet for 200 ms──▶ closing ──silence sent───▶ quiet
 *                        ▲                                                       │
 *                        └────────────────────────speech─────────────────────────┘
 */
export class SpeakerDecoder {
  readonly #counters: LinkCounters
  readonly #emit: (frame: Int16Array) => void
  readonly #turnFrames: number
  readonly #framer: Framer
  readonly #decoder = new OpusDecoder()
  #phase: 'quiet' | 'talking' | 'closing' = 'quiet'
  /** Expected RTP time of the next packet. */
  #expected = 0
  #silentRun = 0
  #refusedRun = 0
  #packetAt = 0
  #packetMs = FRAME_MS
  #lostMs = 0
  /** Silence after a turn: its start, and frames sent. */
  #closedAt = 0
  #given = 0

  /** `emit` receives each frame, borrowed. `endOfTurnSilenceMs`: silence after a turn. */
  constructor(counters: LinkCounters, endOfTurnSilenceMs: number, emit: (frame: Int16Array) => void) {
    this.#counters = counters
    this.#turnFrames = Math.ceil(endOfTurnSilenceMs / FRAME_MS)
    this.#emit = emit
    this.#framer = new Framer(FRAME_SAMPLES, emit)
  }

  /** Speech that was lost or cannot be decoded (ms). Discord sends packets only for speech. */
  get lostMs(): number {
    return this.#lostMs
  }

  /** A packet arrived at `now` (ms), in sequence or not. */
  arrived(now: number): void {
    this.#packetAt = now
  }

  /** The next packet in order, as of `PacketHandler`. */
  packet(timestamp: number, opus: Uint8Array, lost: number, anew: boolean): void {
    const samples = opusSamples(opus)
    // Assumes that lost packets were as long as the received ones.
    this.#lostMs += lost * this.#packetMs
    if (samples === 0) {
      this.#counters.malformed++
      this.#lostMs += this.#packetMs
      return
    }
    const silent = isSilence(opus)
    if (anew) this.#decoder.reset()
    if (this.#phase === 'talking') {
      if (!anew) this.#bridge((timestamp - this.#expected) | 0, lost)
    } else if (silent) return
    else {
      this.#phase = 'talking'
      this.#silentRun = 0
    }
    this.#expected = (timestamp + samples) | 0
    this.#packetMs = (samples * 1000) / OPUS_CLOCK_RATE
    this.#decode(opus, samples / PER_SAMPLE)
    this.#silentRun = silent ? this.#silentRun + 1 : 0
    if (this.#silentRun >= SILENCE_FRAMES) this.#endTurn(this.#packetAt)
  }

  /** Advances time: ends turns and emits due silence. */
  tick(now: number): void {
    if (this.#phase === 'talking' && now - this.#packetAt >= STALL_MS)
      this.#endTurn(this.#packetAt + this.#packetMs)
    if (this.#phase !== 'closing') return
    const due = Math.min(this.#turnFrames, Math.floor((now - this.#closedAt) / FRAME_MS))
    for (; this.#given < due; this.#given++) {
      this.#counters.silenceMs += FRAME_MS
      this.#emit(SILENT_FRAME)
    }
    if (this.#given >= this.#turnFrames) this.#phase = 'quiet'
  }

  /** Fills `gap` (RTP clock) between the previous packet and this one. */
  #bridge(gap: number, lost: number): void {
    if (gap > JUMP || gap < -BACK_MOST) {
      this.#counters.restarts++
      this.#decoder.reset()
    } else if (gap >= GAP_LEAST) {
      const missing = Math.round(gap / PER_SAMPLE)
      const guessed = lost > 0 ? this.#guess(missing) : 0
      this.#silence(Math.min(missing - guessed, SILENCE_MOST))
    }
  }

  #decode(opus: Uint8Array, samples: number): void {
    let pcm: Int16Array
    try {
      pcm = this.#decoder.decode(opus)
      this.#refusedRun = 0
    } catch {
      this.#counters.undecodable++
      this.#lostMs += (samples * 1000) / SAMPLE_RATE
      if (++this.#refusedRun % REFUSED_MOST === 0) this.#decoder.reset()
      this.#silence(samples - this.#guess(samples))
      return
    }
    this.#framer.write(pcm)
  }

  /** Conceals up to `samples` and returns the number concealed. */
  #guess(samples: number): number {
    const wanted = Math.min(samples, GUESS_MOST)
    let made = 0
    while (made < wanted) {
      const pcm = this.#decoder.conceal()
      if (pcm.length === 0) break
      const piece = pcm.length > wanted - made ? pcm.subarray(0, wanted - made) : pcm
      this.#framer.write(piece)
      made += piece.length
    }
    this.#counters.concealedMs += (made * 1000) / SAMPLE_RATE
    return made
  }

  #silence(samples: number): void {
    this.#counters.silenceMs += (samples * 1000) / SAMPLE_RATE
    for (let left = samples; left > 0; left -= FRAME_SAMPLES)
      this.#framer.write(left >= FRAME_SAMPLES ? SILENT_FRAME : SILENT_FRAME.subarray(0, left))
  }

  #endTurn(at: number): void {
    this.#framer.end()
    this.#phase = 'closing'
    this.#closedAt = at
    this.#given = 0
  }
}

/** `F8 FF FE`, which Discord's clients send when their user stops. */
function isSilence(opus: Uint8Array): boolean {
  return opus.length === 3 && opus[0] === 0xf8 && opus[1] === 0xff && opus[2] === 0xfe
}
