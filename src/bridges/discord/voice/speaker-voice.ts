import { Framer } from '../../../transcode/framer.ts'
import { OpusDecoder } from '../../../transcode/opus-decoder.ts'
import { OPUS_CLOCK_RATE, opusSamples } from '../../../transcode/opus-packet.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, SILENT_FRAME } from '../../../transcode/pcm.ts'
import type { LinkCounters } from './link-counters.ts'
import type { OrderedPackets } from './reorder-window.ts'

/** Samples of RTP's clock in one of ours. */
const PER_SAMPLE = OPUS_CLOCK_RATE / SAMPLE_RATE
/** Silence frames after which a client sends no more: its user's turn is over. */
const SILENCE_FRAMES = 5
/** No packet for this long, and no silence frames either: the turn is over (ms). */
const STALL_MS = 200
/** A gap in time that is smaller is rounding (2.5 ms), one that is larger is another stream (5 s); RTP's clock. */
const GAP_LEAST = OPUS_CLOCK_RATE / 400
const JUMP = 5 * OPUS_CLOCK_RATE
/** A step back of more than one packet is another stream. */
const BACK_MOST = 0.12 * OPUS_CLOCK_RATE
/** So much of what is lost is guessed (100 ms); the rest is silence, up to 1 s. */
const GUESS_MOST = SAMPLE_RATE / 10
const SILENCE_MOST = SAMPLE_RATE
/** Packets in a row that the decoder refuses before it begins anew. */
const REFUSED_MOST = 25

/**
 * A user's packets, in order, as 20 ms frames for as long as they talk and a while of silence longer; then nothing.
 *
 *   quiet ──speech──▶ talking ──5 silence frames, or no packet for 200 ms──▶ closing ──silence given──▶ quiet
 *                        ▲                                                       │
 *                        └────────────────────────speech─────────────────────────┘
 */
export class SpeakerVoice implements OrderedPackets {
  readonly #counters: LinkCounters
  readonly #emit: (frame: Int16Array) => void
  readonly #turnFrames: number
  readonly #framer: Framer
  readonly #decoder = new OpusDecoder()
  #phase: 'quiet' | 'talking' | 'closing' = 'quiet'
  /** Where the next packet belongs, on RTP's clock. */
  #expected = 0
  #silentRun = 0
  #refusedRun = 0
  #packetAt = 0
  #packetMs = FRAME_MS
  #lostMs = 0
  /** Silence after a turn: since when, and frames given. */
  #closedAt = 0
  #given = 0

  /** `emit` gets each frame, borrowed. `turnSilenceMs`: silence after a turn. */
  constructor(counters: LinkCounters, turnSilenceMs: number, emit: (frame: Int16Array) => void) {
    this.#counters = counters
    this.#turnFrames = Math.ceil(turnSilenceMs / FRAME_MS)
    this.#emit = emit
    this.#framer = new Framer(FRAME_SAMPLES, emit)
  }

  /** Speech that never came, or that nothing can be made of (ms): Discord sends packets of speech alone. */
  get lostMs(): number {
    return this.#lostMs
  }

  /** A packet has come at `now` (ms), whether or not its turn has. */
  arrived(now: number): void {
    this.#packetAt = now
  }

  ordered(timestamp: number, opus: Uint8Array, lost: number, anew: boolean): void {
    const samples = opusSamples(opus)
    // What did not come was as long as what did.
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

  /** Time has passed: a turn may be over, silence may be due. */
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

  /** Makes up for `gap` (RTP's clock) between the last packet and this one. */
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

  /** Up to `samples` of what it may have been; returns how many. */
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
