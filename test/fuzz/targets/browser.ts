import { EventEmitter } from 'node:events'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { isPacketLength, MOST_PACKET_BYTES } from '../../../src/bridges/browser/audio-packet.ts'
import { BrowserLeg, pageSocket } from '../../../src/bridges/browser/browser-leg.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/browser/limits.ts'
import { parse } from '../../../src/bridges/browser/protocol.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { type FuzzTarget, must, texts } from '../target.ts'

const messages: FuzzTarget = {
  name: 'messages of the talk page',
  seeds: texts(
    '{"kind":"hello","speaks":"en-us","hears":"es-es","alone":"es-es","original":"low","name":"Ana","muted":true}',
    '{"kind":"hello","hears":"es-es","alone":"es-es","link":"abcdefghijklmnopqrstuvwx","code":"123456","voice":"Ana 1"}',
    '{"kind":"resume","call":"abcdefghijklmnopqrstuvwx","secret":"abcdefghijklmnopqrstuvwx"}',
    '{"kind":"change","speaks":null,"name":null,"voice":null,"muted":false,"original":"off"}',
    '{"kind":"mark","id":7}',
    '{"kind":"key","digit":"#"}',
    '{"kind":"ping","at":1.5}',
    '{"kind":"report","underruns":1,"skippedMs":2,"bufferedMs":3}',
    '{"kind":"invite"}',
    '{"kind":"__proto__"}',
    '{"kind":"constructor","__proto__":{"kind":"bye"}}',
    '[{"kind":"bye"}]',
  ),
  words: ['"kind":', '"hello"', 'null', '1e999', '-1', '\\u0000', '\\ud800', '__proto__', '[]', '{}'],
  run(input) {
    const message = parse(input.toString())
    must(typeof message.kind === 'string', 'it is something, or invalid')
    if (message.kind === 'hello' || message.kind === 'change') {
      const { name } = message
      must(
        typeof name !== 'string' || (name.length <= 40 && !/\p{Cc}/u.test(name)),
        'names are short and plain',
      )
    }
    if (message.kind === 'hello') must(/^[a-z]{2,3}-/.test(message.hears), 'a language')
    if (message.kind === 'ping') must(Number.isFinite(message.at), 'a time')
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

const packet = Buffer.alloc(8 + 640)
const jump = Buffer.from(packet)
jump.writeUInt32LE(0xffff_ff00, 4)

const audio: FuzzTarget = {
  name: 'audio of the talk page',
  seeds: [Buffer.concat([packet, jump]), Buffer.alloc(MOST_PACKET_BYTES), Buffer.alloc(7)],
  run(input) {
    const clock = new FakeClock(0)
    const page = { bufferedAmount: 0, send() {}, ping() {}, close() {}, terminate() {} }
    const socket = pageSocket(Object.assign(new EventEmitter(), page), clock, DEFAULT_LIMITS)
    const terms = { id: 'browser-1', call: 'call', requested: () => {}, log: noopLogger }
    const leg = BrowserLeg.open(socket, { ...terms, clock, limits: DEFAULT_LIMITS })
    let frames = 0
    leg.attach({
      write: frame => {
        must(frame.length === FRAME_SAMPLES, 'whole frames')
        frames++
      },
      marked: () => {},
      dtmf: () => {},
    })
    // As messages of a length that the first byte of each chooses, a moment apart.
    for (let at = 0; at < input.length; ) {
      const bytes = Math.min(input.length - at, 8 + 640 * (1 + (input[at]! % 10)))
      const message = input.subarray(at, at + bytes)
      at += bytes
      if (isPacketLength(message.length)) leg.message(message, true, clock.now())
      clock.advance(20)
      leg.watch(clock.now())
    }
    const { counters } = leg
    const now = clock.now()
    const mostMs = DEFAULT_LIMITS.maxGapMs + 5_000 + now * 1.05 + now
    must(frames * 20 <= mostMs, `no more sound than there is time for it: ${frames}`)
    must(frames === counters.framesIn, 'every frame is counted')
  },
}

export const BROWSER: readonly FuzzTarget[] = [messages, audio]
