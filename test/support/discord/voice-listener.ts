import type { PacketSink } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { OpusDecoder } from '../../../src/transcode/opus.ts'

interface Heard {
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc: number
  readonly opus: Uint8Array
}

/** Records the packets of one user. */
export class Listener implements PacketSink {
  readonly packets: Heard[] = []

  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void {
    this.packets.push({ sequence, timestamp, ssrc, opus })
  }

  /** Number of packets that contain `hz`. */
  loud(hz: number): number {
    const decoder = new OpusDecoder()
    return this.packets.filter(({ opus }) => loudness(decoder.decode(opus), hz, 16_000) > 3_000).length
  }

  /** Number of packets that are still end-to-end encrypted, by their last two bytes. */
  get encrypted(): number {
    return this.packets.filter(({ opus }) => opus.at(-1) === 0xfa && opus.at(-2) === 0xfa).length
  }
}
