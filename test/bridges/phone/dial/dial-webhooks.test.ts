import { describe, expect, it } from 'vitest'
import { CarrierDialer } from '../../../../src/bridges/phone/index.ts'
import { BridgeError } from '../../../../src/common/errors.ts'
import { FakeCarrierApi } from '../../../support/phone/fake-carrier-api.ts'
import { FROM, open, TO } from '../../../support/phone/rest-harness.ts'
import { dateless, PUBLIC_URL, resumeUrlIn, until } from '../../../support/phone/twilio-bridge-harness.ts'

const HANG_UP = '<Response><Hangup/></Response>'

describe('a call placed by REST', () => {
  it('is requested with all parameters, and its stream joins the room', async () => {
    await using line = await open({ ringSeconds: 20 })
    const call = line.dial()
    const { fields, answer, status } = await line.ordered()
    expect(fields).toMatchObject({ To: TO, From: FROM, Timeout: '20' })
    expect(fields.Url).toBe(`${PUBLIC_URL}/twilio/dial/answer?dial=${call.id}`)
    expect(JSON.stringify(fields)).not.toContain('MachineDetection')
    expect((await line.bridge.post(status, line.outbound('CA1', { CallStatus: 'ringing' }))).status).toBe(204)
    const { body } = await line.bridge.post(answer, line.outbound('CA1'))
    expect(body).toContain('<Connect><Stream url="wss://bridge.example.com/twilio/media">')
    expect(body).not.toContain('+1500')
    await line.stream('CA1', body)
    const outcome = await call.outcome
    expect(outcome).toEqual({ kind: 'answered', participant: line.bridge.relay.admitted[0]?.leg.id })
    expect(line.bridge.relay.admitted[0]?.invitation).toEqual({ room: 'r', hears: 'en-us' })
    expect(line.dialer.counters).toMatchObject({ dialed: 1, answered: 1 })
  })

  it('gets the same response when asked twice, and streams once', async () => {
    await using line = await open()
    line.dial()
    const { answer } = await line.ordered()
    const first = await line.bridge.post(answer, line.outbound('CA1'))
    expect(dateless(await line.bridge.post(answer, line.outbound('CA1')))).toEqual(dateless(first))
    await line.stream('CA1', first.body)
    const second = await line.stream('CA1', first.body)
    expect(await second.closed).toMatchObject({ code: 4401 })
    expect(line.bridge.relay.admitted).toHaveLength(1)
  })

  it('can be answered before the response to the request that placed it', async () => {
    await using line = await open()
    const created = Promise.withResolvers<{ status: number; body: unknown }>()
    line.rest.reply = () => created.promise
    const call = line.dial()
    const { answer, status } = await line.ordered()
    await line.bridge.post(status, line.outbound('CA7', { CallStatus: 'in-progress' }))
    const { body } = await line.bridge.post(answer, line.outbound('CA7'))
    await line.stream('CA7', body)
    await until(() => line.bridge.relay.admitted.length === 1)
    created.resolve({ status: 201, body: { sid: 'CA7' } })
    expect(await call.outcome).toMatchObject({ kind: 'answered' })
    expect(line.rest.requests).toHaveLength(1)
  })

  it('is hung up if it is unknown, has another CallSid or was released', async () => {
    await using line = await open()
    const call = line.dial()
    const { answer } = await line.ordered()
    const unknown = await line.bridge.post('/twilio/dial/answer?dial=other', line.outbound('CA5'))
    expect(unknown.body).toContain(HANG_UP)
    expect((await line.bridge.post('/twilio/dial/answer', line.outbound('CA6'))).body).toContain(HANG_UP)
    await until(() => line.dialer.get(call.id)?.state.status === 'queued')
    await line.bridge.post(answer, line.outbound('CA1'))
    expect((await line.bridge.post(answer, line.outbound('CA2'))).body).toContain(HANG_UP)
    await call.hangUp()
    expect((await line.bridge.post(answer, line.outbound('CA1'))).body).toContain(HANG_UP)
    expect(line.rest.requests.at(-1)).toMatchObject({
      path: expect.stringContaining('/Calls/CA1.json'),
      fields: { Status: 'completed' },
    })
    expect(line.bridge.relay.admitted).toEqual([])
  })

  it('rejects unsigned requests', async () => {
    await using line = await open()
    const call = line.dial()
    const { answer, status } = await line.ordered()
    for (const path of [answer, status, `/twilio/dial/machine?dial=${call.id}`])
      expect(
        (await line.bridge.post(path, line.outbound('CA1', { CallStatus: 'busy' }), 'forged')).status,
      ).toBe(403)
    expect(line.dialer.get(call.id)?.state.status).toBe('queued')
  })

  it('ends with its status, and closes its leg', async () => {
    await using line = await open()
    const call = line.dial()
    const { answer, status } = await line.ordered()
    const { body } = await line.bridge.post(answer, line.outbound('CA1'))
    await line.stream('CA1', body)
    await call.outcome
    for (let twice = 0; twice < 2; twice++)
      await line.bridge.post(status, line.outbound('CA1', { CallStatus: 'completed' }))
    expect(await call.over).toBe('hangup')
    await until(() => line.bridge.relay.admitted[0]?.ended)
    expect(line.bridge.relay.admitted[0]?.ended).toEqual({ kind: 'hangup', by: 'remote' })
    expect((await line.bridge.post(answer, line.outbound('CA1'))).body).toContain(HANG_UP)
    expect(line.rest.requests).toHaveLength(1)
  })

  it('continues in its room when the stream breaks', async () => {
    await using line = await open()
    const call = line.dial()
    const { answer } = await line.ordered()
    const first = await line.bridge.post(answer, line.outbound('CA1'))
    const party = await line.stream('CA1', first.body)
    await call.outcome
    party.socket.terminate()
    await until(() => line.bridge.relay.admitted[0]?.ended)
    const resume = new URL(resumeUrlIn(first.body))
    const again = await line.bridge.post(resume.pathname + resume.search, line.outbound('CA1'))
    await line.stream('CA1', again.body)
    const admitted = await until(() => line.bridge.relay.admitted[1])
    expect(admitted.invitation).toEqual({ room: 'r', hears: 'en-us' })
    expect(line.dialer.get(call.id)?.state).toEqual({ status: 'in-room', participant: admitted.leg.id })
  })

  it('is over when the relay is full', async () => {
    await using line = await open()
    line.bridge.relay.refuse = new BridgeError('CAPACITY', 'no more legs', { retryable: true })
    const call = line.dial()
    const { answer } = await line.ordered()
    await line.stream('CA1', (await line.bridge.post(answer, line.outbound('CA1'))).body)
    expect(await call.outcome).toMatchObject({ kind: 'failed', error: { code: 'CAPACITY' } })
    await until(() => line.rest.requests.some(({ fields }) => fields.Status === 'completed'))
  })

  it('is hung up when a machine answers', async () => {
    await using line = await open({ machineDetection: true })
    const call = line.dial()
    const { answer, machine } = await line.ordered()
    const party = await line.stream('CA1', (await line.bridge.post(answer, line.outbound('CA1'))).body)
    const admitted = await until(() => line.bridge.relay.admitted[0])
    party.media(Buffer.alloc(160, 0x10).toString('base64'))
    await until(() => admitted.frames.length > 0)
    expect(admitted.frames.every(frame => frame.every(sample => sample === 0))).toBe(true)
    await line.bridge.post(machine, line.outbound('CA1', { AnsweredBy: 'machine_start' }))
    expect(await call.outcome).toEqual({ kind: 'voicemail' })
    expect(await party.closed).toMatchObject({ code: 1000 })
    await until(() => line.rest.requests.some(({ fields }) => fields.Status === 'completed'))
  })
})

describe('the dialer', () => {
  const refusal = (line: Awaited<ReturnType<typeof open>>, to: string) => {
    try {
      line.dial(to)
    } catch (error) {
      return error
    }
    return undefined
  }

  it('rejects destinations outside the settings, without revealing numbers', async () => {
    await using line = await open()
    for (const to of ['+12125550123', '911', FROM, 'sip:x@y', '']) {
      expect(refusal(line, to)).toMatchObject({ code: 'DIAL_REFUSED' })
    }
    expect(line.dialer.counters.refused).toBe(5)
    expect(line.rest.requests).toEqual([])
    expect(JSON.stringify(line.log.all)).not.toMatch(/2125550123|\+1500/)
  })

  it('rejects calls above the limit until one ends', async () => {
    await using line = await open({ maxConcurrent: 2 })
    line.dial()
    line.dial()
    expect(refusal(line, TO)).toMatchObject({ code: 'CAPACITY', retryable: true })
    const { status } = await line.ordered(2)
    await line.bridge.post(status, line.outbound('CA2', { CallStatus: 'busy' }))
    await until(() => line.dialer.active === 1)
    line.dial()
    expect(line.dialer.counters).toMatchObject({ dialed: 3, refused: 1, busy: 1 })
  })

  it('fails a call rejected by the API, with a message safe for logs', async () => {
    await using line = await open()
    line.rest.fail(400, 21215, `Account not authorized to call ${TO}`)
    expect(await line.dial().outcome).toMatchObject({ kind: 'failed', error: { code: 'DIAL_FAILED' } })
    expect(JSON.stringify(line.log.all)).toContain('21215')
    expect(JSON.stringify(line.log.all)).not.toContain(TO)
  })

  it('hangs up everything when the server closes', async () => {
    await using line = await open()
    const call = line.dial()
    await line.ordered()
    await until(() => line.rest.requests.length === 1)
    await line.bridge.app.close()
    expect(await call.outcome).toEqual({ kind: 'canceled' })
    expect(line.rest.requests.at(-1)?.fields).toEqual({ Status: 'completed' })
    expect(refusal(line, TO)).toMatchObject({ code: 'DIAL_REFUSED' })
  })

  it('needs a bridge, and only one', async () => {
    await using line = await open()
    const alone = new CarrierDialer({ from: FROM, allowedPrefixes: ['+1'] }, { api: new FakeCarrierApi() })
    expect(() => alone.dial({ to: TO, invitation: { room: 'r' } })).toThrow('no bridge')
    expect(() => line.dialer.attach({ url: path => path, release() {} })).toThrow('already attached')
  })
})
