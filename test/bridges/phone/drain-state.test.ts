import { describe, expect, it } from 'vitest'
import { fieldsOf, Harness, resumeUrlIn, SILENCE, until } from '../../support/phone/twilio-bridge-harness.ts'

const inProgress = (callSid: string) => ({ ...fieldsOf(callSid), CallStatus: 'in-progress' })
const departure = (elsewhere: boolean) => () => ({ elsewhere, resumeDelaySeconds: 3 })

describe('a bridge that is shutting down', () => {
  it('answers new calls with 503 if another server accepts them, and known calls as usual', async () => {
    let leaving = false
    await using bridge = await Harness.open({
      departure: () => (leaving ? { elsewhere: true, resumeDelaySeconds: 3 } : undefined),
    })
    const { party } = await bridge.call('CA1')
    leaving = true
    expect(await bridge.post('/twilio/voice', fieldsOf('CA2'))).toMatchObject({ status: 503, body: '' })
    party.socket.terminate()
    await until(() => bridge.relay.admitted[0]?.ended)
    await bridge.again('CA1', 'MZ2')
    expect(bridge.relay.admitted).toHaveLength(2)
  })

  it('otherwise lets `invite` decide on new calls', async () => {
    await using bridge = await Harness.open({
      departure: departure(false),
      invite: () => ({ refused: 'busy' }),
    })
    expect((await bridge.post('/twilio/voice', fieldsOf('CA2'))).body).toContain('<Reject reason="busy"/>')
  })

  it('redirects calls of another server, to repeat the same request', async () => {
    await using bridge = await Harness.open({ departure: departure(true) })
    const path = '/twilio/resume?room=r&dragoman-resumes=1&dragoman-attempt=2'
    const { body } = await bridge.post(path, inProgress('CA9'))
    expect(body).toContain('<Pause length="3"/><Redirect')
    expect(resumeUrlIn(body)).toBe(`https://bridge.example.com${path}`)
    expect(bridge.relay.admitted).toEqual([])
  })

  it('hands over its calls: closes streams and redirects requests until the server has ended', async () => {
    await using bridge = await Harness.open({ departure: departure(false) })
    const { party, admitted } = await bridge.call('CA1')
    party.media(SILENCE)
    const over = await bridge.call('CA2')
    await bridge.post('/twilio/status', { ...fieldsOf('CA2'), CallStatus: 'completed' })
    expect(await over.party.closed).toMatchObject({ code: 1000 })
    let handed = false
    const handOver = bridge.app.twilio.handOver().then(() => (handed = true))
    expect(await party.closed).toEqual({ code: 1012, reason: 'restart' })
    expect(admitted.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST', retryable: true } })
    expect(handed).toBe(false)
    for (const path of ['resume?dragoman-resumes=0&dragoman-attempt=1', 'voice', 'menu?x=1']) {
      const { body } = await bridge.post(`/twilio/${path}`, inProgress('CA1'))
      expect(resumeUrlIn(body)).toBe(`https://bridge.example.com/twilio/${path}`)
      expect(body).not.toContain('<Stream')
    }
    await handOver
    expect((await bridge.post('/twilio/resume', inProgress('CA2'))).body).toContain('<Hangup/>')
  })

  it('waits for streams that are due', async () => {
    await using bridge = await Harness.open()
    await bridge.ring('CA1')
    expect(bridge.app.twilio.expected).toBe(1)
    await bridge.again('CA1', 'MZ2')
    expect(bridge.app.twilio.expected).toBe(0)
  })
})
