import { describe, expect, it } from 'vitest'
import { open } from '../../../support/phone/rest-harness.ts'
import { dateless, resumeUrlIn, until } from '../../../support/phone/twilio-bridge-harness.ts'

const HANG_UP = '<Response><Hangup/></Response>'

describe('a call placed by REST', () => {
  it('continues on the next server with the same voice', async () => {
    await using line = await open()
    const pass = JSON.stringify({ room: 'r', hears: 'es-es', voice: 'piper/es_ES-davefx', called: true })
    const query = new URLSearchParams({ dial: 'old', 'dragoman-resumes': '0', 'dragoman-callee': pass })
    const { body } = await line.bridge.post(`/twilio/resume?${query}`, line.outbound('CA1'))
    await line.stream('CA1', body)
    const admitted = await until(() => line.bridge.relay.admitted[0])
    expect(admitted.invitation).toEqual(JSON.parse(pass))
  })

  it('continues in its room when the server that placed it has ended', async () => {
    await using gone = await open()
    const call = gone.dial()
    const { answer } = await gone.ordered()
    const machine = answer.replace('/answer', '/machine')
    const asked = await gone.bridge.post(answer, gone.outbound('CA1'))
    const again = await gone.bridge.post(answer, gone.outbound('CA1'))
    expect(dateless(again)).toEqual(dateless(asked))
    await gone.stream('CA1', asked.body)
    await call.outcome
    const { pathname, search } = new URL(resumeUrlIn(asked.body))

    await using next = await open()
    const { body } = await next.bridge.post(pathname + search, next.outbound('CA1'))
    const party = await next.stream('CA1', body)
    const admitted = await until(() => next.bridge.relay.admitted[0])
    expect(admitted.invitation).toEqual({ room: 'r', hears: 'en-us', elapsedMs: expect.any(Number) })
    // On yet another server as well, which continues the counts.
    const further = new URL(resumeUrlIn(body)).searchParams
    expect(further.get('dragoman-callee')).toBe(JSON.stringify({ room: 'r', hears: 'en-us' }))
    expect(Number(further.get('dragoman-resumes'))).toBe(1)
    // A machine is not a participant, no matter who called it.
    await next.bridge.post(machine, next.outbound('CA1', { AnsweredBy: 'human' }))
    expect(party.socket.readyState).toBe(party.socket.OPEN)
    await next.bridge.post(machine, next.outbound('CA1', { AnsweredBy: 'machine_start' }))
    expect(await party.closed).toMatchObject({ code: 1000 })
    expect((await next.bridge.post(pathname + search, next.outbound('CA1'))).body).toContain(HANG_UP)
  })

  it('is hung up if its room is unknown', async () => {
    await using line = await open()
    for (const pass of ['', 'x', '{}', '[]', '{"room":""}']) {
      const query = new URLSearchParams({ dial: 'old', 'dragoman-resumes': '0', 'dragoman-callee': pass })
      const resumed = await line.bridge.post(`/twilio/resume?${query}`, line.outbound('CA1'))
      expect(resumed.body).toContain(HANG_UP)
    }
    expect(line.bridge.relay.admitted).toEqual([])
  })

  it('continues after a hand-over, but is hung up if it is ringing', async () => {
    await using line = await open()
    const talking = line.dial()
    const first = await line.ordered()
    const { body } = await line.bridge.post(first.answer, line.outbound('CA1'))
    const party = await line.stream('CA1', body)
    await talking.outcome
    const ringing = line.dial('+15005550007')
    await line.ordered(2)
    const handed = line.bridge.app.twilio.handOver()
    expect(await party.closed).toMatchObject({ code: 1012 })
    const { pathname, search } = new URL(resumeUrlIn(body))
    expect((await line.bridge.post(pathname + search, line.outbound('CA1'))).body).toContain('<Redirect')
    await handed
    await line.bridge.app.close()
    const ended = line.rest.requests.filter(({ fields }) => fields.Status === 'completed')
    expect(ended.map(({ path }) => path.split('/').at(-1))).toEqual(['CA2.json'])
    expect(await ringing.outcome).toEqual({ kind: 'canceled' })
  })
})
