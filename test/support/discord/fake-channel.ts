import type { OutputLeg } from '../../../src/bridges/discord/voice/output-leg.ts'
import type { PacketPlayer } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import type { Clock } from '../../../src/common/clock.ts'
import { OpusDecoder } from '../../../src/transcode/opus.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { SILENCE } from './remote-client.ts'

/** The channel: decodes what is played, as all its members do. */
export class FakeChannel implements PacketPlayer {
  playable = true
  readonly packets: { at: number; silent: boolean; pcm: Int16Array }[] = []
  readonly speaking: { on: boolean; packets: number }[] = []
  readonly #clock: Clock
  readonly #decoder = new OpusDecoder()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  play(opus: Uint8Array): void {
    const silent = opus.length === 3 && opus.every((byte, at) => byte === SILENCE[at])
    this.packets.push({ at: this.#clock.now(), silent, pcm: this.#decoder.decode(opus) })
  }

  setSpeaking(on: boolean): void {
    this.speaking.push({ on, packets: this.packets.length })
  }

  get silences(): number {
    return this.packets.filter(({ silent }) => silent).length
  }

  heard(): Int16Array {
    return concat(this.packets.map(({ pcm }) => pcm))
  }
}

/** Attaches to the ear; returns the marks that it confirms. */
export function attached(ear: OutputLeg): string[] {
  const marks: string[] = []
  ear.attach({ write: () => {}, marked: name => void marks.push(name), dtmf: () => {} })
  return marks
}
