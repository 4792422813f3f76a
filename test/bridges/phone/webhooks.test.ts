import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { sign } from '../../../src/bridges/phone/markup/form-signature.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import {
  AUTH_TOKEN,
  dateless,
  fieldsOf,
  Harness,
  PUBLIC_URL,
  resumeUrlIn,
  tokenIn,
  until,
} from '../../support/phone/twilio-bridge-harness.ts'

const HANG_UP = '<Response><Hangup/></Response>'

describe('the voice webhook', () => {
  it('connects the call to the media socket', async () => {
    await using bridge = await Harness.open()
    const { status, type, body } = await bridge.post('/twilio/voice?room=7&x=%2B', fieldsOf('CA1'))
    expect(status).toBe(200)
    expect(type).toBe('text/xml; charset=utf-8')
    expect(body).toContain(
      '<Stream url="wss://bridge.example.com/twilio/media"><Parameter name="token" value="',
    )
    const resume = new URL(resumeUrlIn(body))
    expect(resume.origin + resume.pathname).toBe(`${PUBLIC_URL}/twilio/resume`)
    expect(resume.searchParams.get('room')).toBe('7')
    expect(resume.searchParams.get('x')).toBe('+')
  })

  it('describes the call', async () => {
    let told: unknown
    await using bridge = await Harness.open({
      invite: call => {
        told = call
        return { room: 'r' }
      },
    })
    await bridge.post('/twilio/voice?room=7&room=8&From=nobody', fieldsOf('CA1'))
    expect(told).toMatchObject({
      callId: 'CA1',
      accountId: 'AC00000000000000000000000000000001',
      from: '+15005550006',
      to: '+15005550001',
      direction: 'inbound',
    })
    const { parameters } = told as { parameters: Record<string, string> }
    expect(parameters).toMatchObject({ room: '7', From: '+15005550006', CallStatus: 'ringing' })
    expect(Object.getPrototypeOf(parameters)).toBeNull()
  })

  it('invites once and returns the same response when delivered twice', async () => {
    let asked = 0
    await using bridge = await Harness.open({ invite: () => ({ room: `r${++asked}` }) })
    const first = await bridge.post('/twilio/voice', fieldsOf('CA1'))
    expect(dateless(await bridge.post('/twilio/voice', fieldsOf('CA1')))).toEqual(dateless(first))
    expect(asked).toBe(1)
  })

  it.each([
    ['none', null],
    ['empty', ''],
    ['forged', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='],
    ['by another token', sign('other', `${PUBLIC_URL}/twilio/voice`, fieldsOf('CA1'))],
    ['for http', sign(AUTH_TOKEN, 'http://bridge.example.com/twilio/voice', fieldsOf('CA1'))],
    ['for another host', sign(AUTH_TOKEN, 'https://127.0.0.1/twilio/voice', fieldsOf('CA1'))],
    ['for another call', sign(AUTH_TOKEN, `${PUBLIC_URL}/twilio/voice`, fieldsOf('CA2'))],
    ['for another address', sign(AUTH_TOKEN, `${PUBLIC_URL}/twilio/resume`, fieldsOf('CA1'))],
  ])('rejects a signature that is %s', async (_what, signature) => {
    await using bridge = await Harness.open()
    const answer = await bridge.post('/twilio/voice', fieldsOf('CA1'), signature)
    expect(answer).toMatchObject({ status: 403, body: '' })
    expect(bridge.log.complaints).toHaveLength(1)
  })

  it('accepts both tokens during rotation', async () => {
    await using bridge = await Harness.open({ authTokens: ['new', AUTH_TOKEN] })
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).status).toBe(200)
    const signature = sign('new', `${PUBLIC_URL}/twilio/voice`, fieldsOf('CA2'))
    expect((await bridge.post('/twilio/voice', fieldsOf('CA2'), signature)).status).toBe(200)
  })

  it('rejects requests without a valid call', async () => {
    await using bridge = await Harness.open()
    expect((await bridge.post('/twilio/voice', { From: '+1' })).status).toBe(400)
    expect((await bridge.post('/twilio/voice', { CallSid: 'CA 1' })).status).toBe(400)
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`f${n}`, '']))
    expect((await bridge.post('/twilio/voice', { CallSid: 'CA1', ...many })).status).toBe(400)
    expect((await bridge.post('/twilio/voice', { CallSid: 'CA1', x: 'y'.repeat(70_000) })).status).toBe(413)
    const json = await bridge.app.inject({
      method: 'POST',
      url: '/twilio/voice',
      payload: { CallSid: 'CA1' },
    })
    expect([json.statusCode, json.body]).toEqual([415, ''])
    expect((await bridge.app.inject({ method: 'GET', url: '/twilio/voice' })).statusCode).toBe(404)
    expect(bridge.log.complaints).toHaveLength(5)
  })

  it('rejects calls as instructed', async () => {
    await using bridge = await Harness.open({
      invite: ({ callId }) =>
        callId === 'CA3'
          ? { refused: 'rejected', notice: { text: 'No.', language: 'en-GB' } }
          : { refused: 'busy' },
    })
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toContain(
      '<Response><Reject reason="busy"/>',
    )
    const answered = (await bridge.post('/twilio/voice', fieldsOf('CA3'))).body
    expect(answered).toContain('<Response><Say language="en-GB">No.</Say><Hangup/>')
  })

  it('apologizes when the decision fails', async () => {
    await using bridge = await Harness.open({
      invite: () => {
        throw new Error('down')
      },
      apology: { text: 'Perdón.', language: 'es-ES' },
    })
    const { status, body } = await bridge.post('/twilio/voice', fieldsOf('CA1'))
    expect(status).toBe(200)
    expect(body).toContain('<Say language="es-ES">Perdón.</Say><Hangup/>')
  })

  it('is busy when it remembers too many calls', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock, limits: { maxCalls: 2 } })
    await bridge.ring('CA1')
    await bridge.ring('CA2')
    expect((await bridge.post('/twilio/voice', fieldsOf('CA3'))).body).toContain('<Reject reason="busy"/>')
    clock.advance(600_001)
    expect((await bridge.post('/twilio/voice', fieldsOf('CA3'))).body).toContain('<Connect>')
  })

  it('logs neither numbers nor tokens', async () => {
    await using bridge = await Harness.open()
    const { party } = await bridge.call('CA1')
    party.stop()
    await party.closed
    await bridge.post('/twilio/voice', fieldsOf('CA2'), 'forged')
    const text = JSON.stringify(bridge.log.all)
    expect(bridge.log.all.length).toBeGreaterThan(2)
    expect(text).not.toMatch(/\+1500|12345|forged|[A-Za-z0-9_-]{43}/)
  })
})

describe('a call whose stream breaks', () => {
  const resume = (bridge: Harness, callSid: string, query = '') =>
    bridge.post(`/twilio/resume${query}`, { ...fieldsOf(callSid), CallStatus: 'in-progress' })

  it('continues in the same room with a new token', async () => {
    let asked = 0
    await using bridge = await Harness.open({ invite: () => ({ room: `r${++asked}` }) })
    const { party, admitted } = await bridge.call('CA1')
    party.socket.terminate()
    await until(() => admitted.ended)
    const token = tokenIn((await resume(bridge, 'CA1')).body)
    const again = await bridge.dial()
    again.start({ callSid: 'CA1', streamSid: 'MZ2', token })
    await until(() => bridge.relay.admitted.length === 2)
    expect(bridge.relay.admitted[1]?.invitation).toEqual({ room: 'r1' })
    expect(asked).toBe(1)
  })

  it('continues after this server was restarted', async () => {
    await using before = await Harness.open()
    await using after = await Harness.open()
    const url = resumeUrlIn((await before.post('/twilio/voice?room=7', fieldsOf('CA1'))).body)
    const { body } = await resume(after, 'CA1', new URL(url).search)
    expect(body).toContain('<Connect>')
    expect(new URL(resumeUrlIn(body)).searchParams.get('dragoman-resumes')).toBe('1')
  })

  it('keeps its time after this server was restarted', async () => {
    await using before = await Harness.open()
    await using after = await Harness.open()
    const url = new URL(resumeUrlIn((await before.post('/twilio/voice?room=7', fieldsOf('CA1'))).body))
    const began = Number(url.searchParams.get('dragoman-began'))
    expect(Math.abs(Date.now() / 1_000 - began)).toBeLessThan(60)
    url.searchParams.set('dragoman-began', String(began - 600))
    const { body } = await resume(after, 'CA1', url.search)
    expect(new URL(resumeUrlIn(body)).searchParams.get('dragoman-began')).toBe(String(began - 600))
    const again = await after.dial()
    again.start({ callSid: 'CA1', streamSid: 'MZ2', token: tokenIn(body) })
    await until(() => after.relay.admitted.length === 1)
    const elapsedMs = after.relay.admitted[0]?.invitation.elapsedMs ?? 0
    expect(elapsedMs).toBeGreaterThanOrEqual(600_000)
    expect(elapsedMs).toBeLessThan(660_000)
  })

  it('is dropped after three attempts without audio', async () => {
    await using bridge = await Harness.open()
    await bridge.ring('CA1')
    const pauses: (string | undefined)[] = []
    for (let n = 0; n < 3; n++) pauses.push(/<Pause[^>]*>/.exec((await resume(bridge, 'CA1')).body)?.[0])
    expect(pauses).toEqual([undefined, '<Pause length="1"/>', '<Pause length="2"/>'])
    expect((await resume(bridge, 'CA1')).body).toMatch(/<Say .*<Hangup\/>/)
    expect((await resume(bridge, 'CA1')).body).toContain(HANG_UP)
    expect(bridge.log.complaints).toHaveLength(1)
  })

  it('is dropped after attempts across restarts, too', async () => {
    await using bridge = await Harness.open()
    expect((await resume(bridge, 'CA1', '?dragoman-resumes=3')).body).toMatch(/<Say .*<Hangup\/>/)
  })

  it('can break any number of times with audio in between', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    let token = await bridge.ring('CA1')
    for (let n = 1; n <= 5; n++) {
      const party = await bridge.dial()
      party.start({ callSid: 'CA1', streamSid: `MZ${n}`, token })
      const admitted = await until(() => bridge.relay.admitted[n - 1])
      const leg = [...bridge.app.twilio.legs][0]!
      for (const pieces of [125, 250]) {
        for (let sent = 0; sent < 125; sent++) party.media()
        await until(() => leg.counters.mediaIn === pieces)
        clock.advance(2_500)
      }
      party.socket.terminate()
      await until(() => admitted.ended)
      token = tokenIn((await resume(bridge, 'CA1')).body)
      expect(token).not.toBe('')
    }
  })

  it('continues before the break is noticed, and replaces the old stream', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    const { party, admitted } = await bridge.call('CA1')
    const leg = [...bridge.app.twilio.legs][0]!
    for (const pieces of [125, 250]) {
      for (let sent = 0; sent < 125; sent++) party.media()
      await until(() => leg.counters.mediaIn === pieces)
      clock.advance(2_500)
    }
    for (let n = 0; n < 5; n++) expect((await resume(bridge, 'CA1')).body).toContain('<Connect>')
    await bridge.again('CA1', 'MZ2')
    await until(() => admitted.ended)
    expect(admitted.ended).toEqual({ kind: 'replaced' })
  })

  it('stays connected when its request is repeated', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    for (let n = 0; n < 5; n++) await resume(bridge, 'CA1')
    party.media()
    await until(() => admitted.frames.length === 1)
    party.stop()
    await until(() => admitted.ended)
    expect((await resume(bridge, 'CA1')).body).toMatch(/<Say /)
  })

  it('hears an apology, not a rejection, if the stream is no longer wanted', async () => {
    await using bridge = await Harness.open({ invite: () => ({ refused: 'busy' }) })
    expect((await resume(bridge, 'CA1')).body).toMatch(/<Response><Say .*<Hangup\/>/)
  })

  it('is hung up after its release', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    await admitted.leg.close({ kind: 'hangup', by: 'local' })
    expect(await party.closed).toMatchObject({ code: 1000 })
    expect((await resume(bridge, 'CA1')).body).toContain(HANG_UP)
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toContain(HANG_UP)
  })

  it('is resumed, then dropped, when the relay is full', async () => {
    await using bridge = await Harness.open()
    bridge.relay.refuse = new BridgeError('CAPACITY', 'no more legs', { retryable: true })
    const token = await bridge.ring('CA1')
    const party = await bridge.dial()
    party.start({ callSid: 'CA1', streamSid: 'MZ1', token })
    expect(await party.closed).toMatchObject({ code: 1013 })
    bridge.relay.refuse = undefined
    expect((await resume(bridge, 'CA1')).body).toContain('<Connect>')
  })
})

describe('a call that is over', () => {
  it('is not revived by its own first webhook', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    await until(() => admitted.ended)
    expect((await bridge.post('/twilio/voice', fieldsOf('CA1'))).body).toContain(HANG_UP)
  })

  it('returns if Twilio reports that it continues', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    party.stop()
    await until(() => admitted.ended)
    const { body } = await bridge.post('/twilio/voice', { ...fieldsOf('CA1'), CallStatus: 'in-progress' })
    expect(body).toContain('<Connect>')
  })

  it('is permanently over after its final status, and closes its leg', async () => {
    await using bridge = await Harness.open()
    const { admitted } = await bridge.call('CA1')
    const completed = { ...fieldsOf('CA1'), CallStatus: 'completed' }
    expect(
      (await bridge.post('/twilio/status', { ...fieldsOf('CA1'), CallStatus: 'in-progress' })).status,
    ).toBe(204)
    expect(admitted.ended).toBeUndefined()
    expect((await bridge.post('/twilio/status', completed)).status).toBe(204)
    await until(() => admitted.ended)
    const { body } = await bridge.post('/twilio/voice', { ...fieldsOf('CA1'), CallStatus: 'in-progress' })
    expect(body).toContain(HANG_UP)
    expect((await bridge.post('/twilio/status', { CallStatus: 'completed' })).status).toBe(400)
    expect((await bridge.post('/twilio/status', completed, 'forged')).status).toBe(403)
  })
})
