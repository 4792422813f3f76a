import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { CarrierDialer } from '../../../src/bridges/phone/index.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { FakeCarrierApi } from '../../support/phone/fake-carrier-api.ts'
import { answeredLeg } from '../../support/phone/fake-socket.ts'
import { fieldsOf, Harness, tokenIn, until } from '../../support/phone/twilio-bridge-harness.ts'

const STOPPED_MS = 2_000
const HUNG_UP = { kind: 'hangup', by: 'remote' }
const limits = { stoppedMs: STOPPED_MS }
const going = { ...fieldsOf('CA1'), CallStatus: 'in-progress' }

describe('a stream stopped by Twilio', () => {
  it('is a hang-up unless the call is shown to continue', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock, limits })
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    expect(await party.closed).toMatchObject({ code: 1000 })
    clock.advance(STOPPED_MS - 1)
    await Promise.resolve()
    expect(admitted.ended).toBeUndefined()
    clock.advance(1)
    await until(() => admitted.ended)
    expect(admitted.ended).toEqual(HUNG_UP)
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toContain('<Hangup/>')
    expect(clock.pending).toBe(0)
  })

  it('is a hang-up at once after the status callback', async () => {
    await using bridge = await Harness.open({ clock: new FakeClock(), limits })
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    await party.closed
    await bridge.post('/twilio/status', { ...fieldsOf('CA1'), CallStatus: 'completed' })
    await until(() => admitted.ended)
    expect(admitted.ended).toEqual(HUNG_UP)
  })

  it('is a broken stream when the call asks for instructions', async () => {
    await using bridge = await Harness.open({ clock: new FakeClock(), limits })
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    await party.closed
    // A replay of its first webhook does not revive it.
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toContain('<Hangup/>')
    expect(admitted.ended).toBeUndefined()
    const { body } = await bridge.post('/twilio/voice', going)
    await until(() => admitted.ended)
    expect(admitted.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST', retryable: true } })
    const again = await bridge.stream('CA1', tokenIn(body), 'MZ2')
    expect(again.admitted.leg.call).toBe(admitted.leg.call)
  })

  it.each([
    ['in-progress', { kind: 'failed', error: { code: 'LEG_LOST' } }],
    ['completed', HUNG_UP],
  ])('follows Twilio’s status of the call if it can be queried: %s', async (status, reason) => {
    const clock = new FakeClock()
    const api = new FakeCarrierApi()
    api.onStatus = async () => status
    const settings = { from: '+15005550001', allowedPrefixes: ['+1'] }
    const dialer = new CarrierDialer(settings, { clock, api })
    await using bridge = await Harness.open({ clock, limits, dialer })
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    await party.closed
    clock.advance(STOPPED_MS)
    await until(() => admitted.ended)
    expect(admitted.ended).toMatchObject(reason)
    expect(api.looked).toEqual(['CA1'])
  })

  it('receives no further audio, and feeds silence, so that utterances end', async () => {
    const { leg, got: made, fake, clock, media } = answeredLeg(limits)
    media()
    const heard = made.frames.length
    fake.hear({ event: 'stop', streamSid: 'MZ1', stop: {} })
    media()
    leg.play(new Int16Array(FRAME_SAMPLES))
    leg.mark('u1')
    expect(made.frames).toHaveLength(heard)
    expect(fake.sent).toEqual([])
    expect(leg.congested).toBe(true)
    clock.advance(1_200)
    leg.watch(clock.now())
    expect(made.frames.length).toBeGreaterThan(heard)
    expect(made.frames.at(-1)?.every(sample => sample === 0)).toBe(true)
  })
})
