import { Encoder } from '@evan/opus'

export const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe)

export interface FarPacket {
  readonly sequence: number
  readonly timestamp: number
  readonly opus: Uint8Array
}

/** A Discord client’s encoder: 48 kHz, packets of `ms`. Sequence and timestamp advance during silence too. */
export class FarClient {
  sequence: number
  timestamp: number
  readonly ms: number
  readonly #channels: 1 | 2
  readonly #encoder: Encoder
  #at = 0

  constructor({
    ms = 20,
    channels = 2,
    sequence = 100,
    timestamp = 1_000,
  }: { ms?: 10 | 20 | 40 | 60; channels?: 1 | 2; sequence?: number; timestamp?: number } = {}) {
    this.ms = ms
    this.#channels = channels
    this.sequence = sequence
    this.timestamp = timestamp
    this.#encoder = new Encoder({ channels, sample_rate: 48_000, application: 'voip' })
    this.#encoder.expert_frame_duration = 'arg'
  }

  /** The next packet of a tone of `hz`, without a break in it. */
  tone(hz: number): FarPacket {
    const samples = this.ms * 48
    const pcm = new Int16Array(samples * this.#channels)
    for (let n = 0; n < samples; n++)
      pcm.fill(
        Math.round(8_000 * Math.sin((2 * Math.PI * hz * (this.#at + n)) / 48_000)),
        n * this.#channels,
        (n + 1) * this.#channels,
      )
    this.#at += samples
    return this.#packet(this.#encoder.encode(pcm).slice(), samples)
  }

  silence(): FarPacket {
    return this.#packet(SILENCE, 960)
  }

  /** Advances time without sending. */
  skip(ms: number): void {
    this.timestamp = (this.timestamp + ms * 48) >>> 0
  }

  #packet(opus: Uint8Array, samples: number): FarPacket {
    const packet = { sequence: this.sequence, timestamp: this.timestamp, opus }
    this.sequence = (this.sequence + 1) & 0xffff
    this.timestamp = (this.timestamp + samples) >>> 0
    return packet
  }
}
