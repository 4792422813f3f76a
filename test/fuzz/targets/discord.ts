import { hasDaveFooter } from '../../../simulator/discord/voice/dave/mls.ts'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import { DaveGuard, looksEncrypted } from '../../../src/bridges/discord/voice/dave-guard.ts'
import { VoiceReceiver } from '../../../src/bridges/discord/voice/receiver.ts'
import { GCM_MODE, opened, sealed, XCHACHA_MODE } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import { opusSamples } from '../../../src/transcode/opus-packet.ts'
import { packet, receptionStage } from '../../support/discord/receiver-harness.ts'
import { type FuzzTarget, must } from '../target.ts'

const KEY = Buffer.alloc(32, 7)
const SSRC = 4_711
const OPUS = Buffer.of(0xf8, 1, 2, 3, 4, 5)

/** A datagram with a valid seal around any content: from a sender with the key. */
function datagramOf(input: Buffer, mode: string): Buffer {
  const [first = 0x80, second = 120] = input
  const clear = 12 + (first & 0x0f) * 4 + (first & 0x10 ? 4 : 0)
  const head = Buffer.alloc(clear)
  input.copy(head, 0, 0, Math.min(input.length, clear))
  head[0] = (first & 0x3f) | 0x80
  head[1] = (second & 0x80) | 120
  head.writeUInt32BE(SSRC, 8)
  return sealed(head, input.subarray(Math.min(clear, input.length)), { mode, key: KEY }, input.length)
}

const head = Buffer.from([0x80, 120, 0, 7, 0, 0, 3, 192, 0, 0, 0x12, 0x67])
const extended = Buffer.concat([
  Buffer.from([0x90, 120]),
  head.subarray(2),
  Buffer.of(0xbe, 0xde, 0, 1),
  Buffer.alloc(4),
  OPUS,
])
const padded = Buffer.concat([Buffer.from([0xa0, 120]), head.subarray(2), OPUS, Buffer.of(0, 0, 3)])

const packets: FuzzTarget = {
  name: 'RTP packets, rightly sealed',
  seeds: [Buffer.concat([head, OPUS]), extended, padded],
  run(input) {
    for (const mode of [GCM_MODE, XCHACHA_MODE]) {
      const datagram = datagramOf(input, mode)
      const frame = opened(datagram, { mode, key: KEY })
      must(frame === undefined || frame.length <= input.length, 'no byte from nowhere')
      const counters = new LinkCounters()
      const clock = new FakeClock()
      const reception = new VoiceReceiver(clock, counters, new DaveGuard(clock, counters, () => {}))
      let packetsTaken = 0
      reception.use({ mode, key: KEY })
      reception.listen('anna', {
        packet: (_n, _t, _s, opus) => {
          packetsTaken += opusSamples(opus) > 0 ? 1 : 100
        },
      })
      reception.named('anna', SSRC)
      reception.datagram(datagram, true)
      must(packetsTaken <= 1, 'one packet at most, and it is Opus')
      reception.close()
    }
  },
}

const stage = receptionStage()
stage.reception.named('anna', SSRC)
let sequence = 7

const datagrams: FuzzTarget = {
  name: 'datagrams, mostly with a wrong seal',
  seeds: [
    packet(),
    packet({ extension: Buffer.alloc(8) }),
    packet({ padding: 4, contributors: 2 }),
    packet({ type: 72 }),
  ],
  run(input) {
    // From an unknown address, and from the server's: only datagrams that were sealed with the key are accepted.
    for (const ours of [false, true]) {
      const before = stage.counters.packets
      stage.reception.datagram(input, ours)
      must(stage.counters.packets - before <= 1, 'one packet at most')
    }
    const before = stage.counters.packets
    stage.give({ sequence: ++sequence & 0xffff })
    must(stage.counters.packets === before + 1, 'the next good packet arrives')
  },
}

const footers: FuzzTarget = {
  name: "DAVE's footer",
  seeds: [
    Buffer.concat([OPUS, Buffer.alloc(8, 9), Buffer.of(5, 12, 0xfa, 0xfa)]),
    Buffer.concat([OPUS, Buffer.alloc(8, 9), Buffer.of(0x85, 0x80, 0x01, 14, 0xfa, 0xfa)]),
    Buffer.of(0xfa, 0xfa),
  ],
  words: ['\u00fa\u00fa'],
  run(input) {
    // Two implementations, of the bridge and of the simulator, without shared code. A footer without content is invalid
    // in the simulator; in the bridge it counts as a footer that cannot be decrypted.
    const nothingElse = input.length > 2 && input.at(-3) === input.length
    must(nothingElse || looksEncrypted(input) === hasDaveFooter(input), 'both readings agree')
  },
}

export const DISCORD: readonly FuzzTarget[] = [packets, datagrams, footers]
