import { readClientMessage } from '../../../simulator/discord/gateway/protocol.ts'
import { hasDaveFooter, MlsReader } from '../../../simulator/discord/voice/dave/mls.ts'
import { readBinary, readText } from '../../../simulator/discord/voice/gateway-message.ts'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import { DaveGuard, looksEncrypted } from '../../../src/bridges/discord/voice/dave-guard.ts'
import { VoiceReceiver } from '../../../src/bridges/discord/voice/receiver.ts'
import { GCM_MODE, opened, sealed, XCHACHA_MODE } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import { opusSamples } from '../../../src/transcode/opus-packet.ts'
import { packet, receptionStage } from '../../support/discord/receiver-harness.ts'
import { allowing, type FuzzTarget, must, texts } from '../target.ts'

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

const datagrams: FuzzTarget = {
  name: 'datagrams from unknown senders',
  seeds: [
    packet(),
    packet({ extension: Buffer.alloc(8) }),
    packet({ padding: 4, contributors: 2 }),
    packet({ type: 72 }),
  ],
  run(input) {
    const before = stage.counters.packets
    stage.reception.datagram(input, false)
    // Only datagrams that were sealed with the key are accepted.
    must(stage.counters.packets - before <= 1, 'one packet at most')
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

const voice: FuzzTarget = {
  name: "the simulator's voice gateway",
  seeds: texts(
    '{"op":0,"d":{"server_id":"1","user_id":"2","session_id":"s","token":"t","max_dave_protocol_version":1}}',
    '{"op":1,"d":{"protocol":"udp","data":{"address":"127.0.0.1","port":5000,"mode":"aead_aes256_gcm_rtpsize"}}}',
    '{"op":3,"d":{"t":1,"seq_ack":2}}',
    '{"op":5,"d":{"speaking":1,"delay":0,"ssrc":1}}',
    '{"op":7,"d":{"server_id":"1","session_id":"s","token":"t","seq_ack":1}}',
    '{"op":23,"d":{"transition_id":1}}',
  ),
  words: ['"op":', '"d":', 'null', '-1', '1e99', '__proto__', 'toString', '{}', '[]'],
  run(input) {
    must(typeof readText(input.toString()).kind === 'string', 'a text has a kind')
    must(typeof readBinary(input).kind === 'string', 'a binary message has a kind')
    readClientMessage(input.toString())
  },
}

const mls: FuzzTarget = {
  name: "the simulator's MLS vectors",
  seeds: [
    Buffer.of(3, 1, 2, 3, 0x40, 0x40, ...Buffer.alloc(64)),
    Buffer.of(0, 0x80, 0, 0x40, 0),
    Buffer.of(0xc0),
  ],
  run(input) {
    allowing([RangeError], () => {
      const reader = new MlsReader(input)
      while (!reader.atEnd) {
        const before = reader.at
        must(reader.vector().length <= input.length, 'no byte from nowhere')
        must(reader.at > before, 'it continues')
      }
    })
  },
}

export const DISCORD: readonly FuzzTarget[] = [packets, datagrams, footers, voice, mls]
