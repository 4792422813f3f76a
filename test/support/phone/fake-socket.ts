import { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { PHONE_LINE } from '../../../src/bridges/phone/carrier.ts'
import { jsonMedia } from '../../../src/bridges/phone/json-media/json-media.ts'
import { PhoneLeg } from '../../../src/bridges/phone/leg/phone-leg.ts'
import { DEFAULT_LIMITS, type StreamLimits } from '../../../src/bridges/phone/limits.ts'
import { LogLines } from '../log-lines.ts'
import { Admitted } from './twilio-bridge-harness.ts'

/** A `ws` socket without a network: records what is sent; the test plays the peer. */
export class FakeSocket extends EventEmitter {
  readonly sent: string[] = []
  pings = 0
  bufferedAmount = 0
  closeCode: number | undefined
  terminated = false

  send(message: string | Buffer, { binary }: { binary: boolean }): void {
    if (binary) throw new Error('Twilio takes text frames only')
    this.sent.push(message.toString())
  }
  ping(): void {
    this.pings++
  }
  close(code: number): void {
    this.closeCode ??= code
  }
  terminate(): void {
    this.terminated = true
    this.emit('close', 1006, Buffer.alloc(0))
  }
  /** The peer answers our close frame, or sends its own. */
  gone(code: number): void {
    this.emit('close', code, Buffer.alloc(0))
  }
  hear(message: object): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false)
  }
}

/** A leg on a fake socket and a fake clock, attached, with everything it delivers. */
export function answeredLeg(limits: Partial<StreamLimits> = {}) {
  const clock = new FakeClock(1_000)
  const log = new LogLines()
  const fake = new FakeSocket()
  const all = { ...DEFAULT_LIMITS, stoppedMs: 0, ...limits }
  let made: Admitted | undefined
  const terms = {
    carrier: 'twilio',
    media: jsonMedia(PHONE_LINE),
    clock,
    log,
    limits: all,
    check: () => undefined,
    refused: () => {},
    nextId: () => 'twilio-1',
  }
  PhoneLeg.accept(fake as unknown as WebSocket, terms, leg => {
    made = new Admitted(leg, { room: 'r' })
  })
  fake.hear({ event: 'connected' })
  fake.hear({ event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid: 'CA1' } })
  if (!made) throw new Error('no leg')
  const leg = made.leg as PhoneLeg
  let at = 0
  const media = (timestamp = at, payload = Buffer.alloc(160, 0xff).toString('base64')) => {
    at = timestamp + 20
    fake.hear({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', timestamp: String(timestamp), payload },
    })
  }
  return { clock, log, fake, leg, got: made, media, counters: leg.counters }
}
