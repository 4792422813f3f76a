import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { OutboundCall } from '../../../src/bridges/phone/outbound/outbound-call.ts'
import type { DialEnd, DialOutcome } from '../../../src/core/model/dialer.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { LogLines } from '../log-lines.ts'
import { FakeCarrierApi } from './fake-carrier-api.ts'

/** Runs all pending tasks that do not wait for the clock. */
export const settled = () => new Promise<void>(resolve => setImmediate(resolve))

/** One outbound call on a stopped clock; the test plays Twilio. */
export function dialed({ detects = false, ...api }: { detects?: boolean } & Partial<FakeCarrierApi> = {}) {
  const clock = new FakeClock(1_000)
  const calls = Object.assign(new FakeCarrierApi(), api)
  const log = new LogLines()
  const released: string[] = []
  const joined: string[] = []
  const dial = new OutboundCall(
    'dial-1',
    { to: '+15005550006', invitation: { room: 'r' }, onJoined: id => joined.push(id) },
    {
      to: '+15005550006',
      from: '+15005550001',
      answerUrl: 'https://b/answer',
      statusUrl: 'https://b/status',
      ringSeconds: 30,
      ...(detects ? { machineUrl: 'https://b/machine' } : {}),
    },
    { api: calls, clock, log, random: () => 0.5, release: callSid => released.push(callSid) },
  )
  dial.start()
  const seen: { outcome?: DialOutcome; over?: DialEnd } = {}
  void dial.outcome.then(outcome => {
    seen.outcome = outcome
  })
  void dial.over.then(end => {
    seen.over = end
  })
  const stream = (id: string) => {
    const leg = new FakeLeg(id)
    const heard: number[] = []
    const admitted = dial.arriving(leg)
    admitted.attach({ write: frame => heard.push(frame[0] ?? 0), marked() {}, dtmf() {} })
    dial.arrived(leg)
    const say = (value: number) => leg.say(new Int16Array(FRAME_SAMPLES).fill(value))
    return { leg, heard, say }
  }
  return { clock, calls, log, released, joined, dial, seen, stream }
}
