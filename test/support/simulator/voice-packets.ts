import type { VoiceConnection } from '@discordjs/voice'
import { opusDecoder, opusEncoder } from '../../../simulator/discord/voice/speech.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'

/** What the unmodified voice library receives from one user. */
export class Ear {
  readonly packets: Buffer[] = []
  readonly #decoder = opusDecoder()

  constructor(connection: VoiceConnection, userId: string) {
    connection.receiver.subscribe(userId).on('data', (packet: Buffer) => this.packets.push(packet))
  }

  /** All of it, as 16 kHz mono. */
  pcm(): Int16Array {
    return concat(this.packets.map(packet => this.#decoder.decode(packet) ?? new Int16Array(0)))
  }
}

/** `pcm` (16 kHz mono) as packets of 20 ms. */
export function packetsOf(pcm: Int16Array): Buffer[] {
  const encoder = opusEncoder(1)
  const upsampler = createResampler(16_000, 48_000)
  const packets: Buffer[] = []
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    packets.push(encoder.encode(upsampler.process(pcm.subarray(at, at + 320))))
  return packets
}
