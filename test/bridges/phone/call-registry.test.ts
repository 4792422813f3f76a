import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { CallRegistry } from '../../../src/bridges/phone/call-registry.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/phone/limits.ts'
import { answeredLeg } from '../../support/phone/fake-socket.ts'
import { fieldsOf, Harness, until } from '../../support/phone/twilio-bridge-harness.ts'

describe('the remembered calls', () => {
  it('include streaming calls for any time, and others for ten minutes', () => {
    const clock = new FakeClock()
    const calls = new CallRegistry(clock, DEFAULT_LIMITS)
    calls.add('CAlive', { invitation: { room: 'r' } })?.began(answeredLeg().leg, clock.now())
    calls.add('CAexpected', { invitation: { room: 'r' } })
    calls.add('CAover', { invitation: { room: 'r' } })?.end(clock.now())
    clock.advance(600_000)
    calls.add('CAnew1', { invitation: { room: 'r' } })
    expect(calls.size).toBe(4)
    clock.advance(10_000)
    calls.add('CAnew2', { invitation: { room: 'r' } })
    expect([calls.get('CAlive')?.callId, calls.get('CAexpected'), calls.get('CAover')]).toEqual([
      'CAlive',
      undefined,
      undefined,
    ])
  })

  it('follow the stream that replaced another', async () => {
    await using bridge = await Harness.open()
    const first = await bridge.call('CA1')
    const second = await bridge.again('CA1', 'MZ2')
    await first.party.closed
    await bridge.post('/twilio/status', { ...fieldsOf('CA1'), CallStatus: 'completed' })
    await until(() => second.admitted.ended)
    expect(second.admitted.ended).toEqual({ kind: 'hangup', by: 'remote' })
  })

  it('hear an apology if the audio format is wrong', async () => {
    await using bridge = await Harness.open()
    const token = await bridge.ring('CA1')
    const party = await bridge.dial()
    party.start({ callSid: 'CA1', token, format: { sampleRate: 16_000 } })
    expect(await party.closed).toMatchObject({ code: 4415 })
    expect((await bridge.post('/twilio/resume', fieldsOf('CA1'))).body).toMatch(/<Say .*<Hangup\/>/)
  })
})

describe('the counters of the bridge', () => {
  it('count current, ended and rejected streams', async () => {
    await using bridge = await Harness.open()
    const ended = await bridge.call('CA1')
    ended.party.media()
    ended.party.stop()
    await until(() => ended.admitted.ended)
    const live = await bridge.call('CA2')
    live.party.media()
    live.party.media()
    await until(() => live.admitted.frames.length === 2)
    const refused = await bridge.dial()
    refused.start({ callSid: 'CA2', token: 'x' })
    await refused.closed
    expect(bridge.app.twilio.counters()).toMatchObject({ mediaIn: 3, framesIn: 3 })
    expect([...bridge.app.twilio.refused]).toEqual([['unauthorized', 1]])
  })
})
