import { describe, expect, it } from 'vitest'
import type { CallOrder } from '../../../../src/bridges/phone/carrier.ts'
import { TwilioCallsApi } from '../../../../src/bridges/phone/twilio/rest.ts'
import { ACCOUNT, RestStandIn } from '../../../support/phone/rest-simulator.ts'

const ORDER: CallOrder = {
  to: '+15005550006',
  from: '+15005550001',
  answerUrl: 'https://bridge.example.com/twilio/dial/answer?dial=1',
  statusUrl: 'https://bridge.example.com/twilio/dial/status?dial=1',
  ringSeconds: 30,
}

const apiOf = (rest: { url: string }, more = {}) =>
  new TwilioCallsApi({ accountSid: ACCOUNT, authToken: 'secret', apiUrl: rest.url, ...more })

describe("Twilio's REST API, by its own client", () => {
  it('creates a call', async () => {
    await using rest = await RestStandIn.open()
    expect(await apiOf(rest).place({ ...ORDER, limitSeconds: 600 })).toBe('CA1')
    expect(rest.requests).toEqual([
      {
        method: 'POST',
        path: `/2010-04-01/Accounts/${ACCOUNT}/Calls.json`,
        authorization: `${ACCOUNT}:secret`,
        fields: {
          To: ORDER.to,
          From: ORDER.from,
          Url: ORDER.answerUrl,
          Method: 'POST',
          StatusCallback: ORDER.statusUrl,
          StatusCallbackMethod: 'POST',
          StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
          Timeout: '30',
          TimeLimit: '600',
        },
      },
    ])
  })

  it('requests machine detection if there is an address for its result', async () => {
    await using rest = await RestStandIn.open()
    await apiOf(rest).place({ ...ORDER, machineUrl: 'https://bridge.example.com/machine' })
    expect(rest.requests[0]?.fields).toMatchObject({
      MachineDetection: 'Enable',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: 'https://bridge.example.com/machine',
      AsyncAmdStatusCallbackMethod: 'POST',
    })
  })

  it('also works with an API key and below a path', async () => {
    await using rest = await RestStandIn.open()
    const api = apiOf({ url: `${rest.url}/proxy/` }, { apiKeySid: 'SK1', apiKeySecret: 'hidden' })
    await api.hangUp('CA7')
    expect(rest.requests).toEqual([
      {
        method: 'POST',
        path: `/proxy/2010-04-01/Accounts/${ACCOUNT}/Calls/CA7.json`,
        authorization: 'SK1:hidden',
        fields: { Status: 'completed' },
      },
    ])
  })

  it('returns the status of a call', async () => {
    await using rest = await RestStandIn.open()
    rest.reply = () => ({ body: { sid: 'CA7', status: 'in-progress' } })
    expect(await apiOf(rest).status('CA7')).toEqual({ type: 'picked-up' })
    expect(rest.requests[0]).toMatchObject({
      method: 'GET',
      path: expect.stringContaining('/Calls/CA7.json'),
    })
  })

  it.each([
    [404, 20404],
    [400, 21220],
  ])('treats hanging up an ended call as success: HTTP %i, %i', async (status, code) => {
    await using rest = await RestStandIn.open()
    rest.fail(status, code)
    await apiOf(rest).hangUp('CA7')
    await expect(apiOf(rest).status('CA7')).rejects.toMatchObject({ kind: 'gone', carrierCode: code })
  })

  it.each([
    [401, 20003, 'refused', 'DIAL_FAILED'],
    [400, 21211, 'refused', 'DIAL_FAILED'],
    [400, 21215, 'refused', 'DIAL_FAILED'],
    [403, 99999, 'refused', 'DIAL_FAILED'],
    [400, 10004, 'refused', 'CAPACITY'],
    [429, 20429, 'later', 'DIAL_FAILED'],
    [500, 20500, 'unsure', 'DIAL_FAILED'],
  ])('fails with HTTP %i, %i as %s, without revealing a number', async (status, carrierCode, kind, code) => {
    await using rest = await RestStandIn.open()
    rest.fail(status, carrierCode)
    const failure = await apiOf(rest)
      .place(ORDER)
      .then(
        () => undefined,
        error => error,
      )
    expect(failure).toMatchObject({
      kind,
      code,
      carrierCode,
      message: expect.stringContaining(String(carrierCode)),
    })
    expect(`${failure.stack} ${JSON.stringify(failure)} ${failure.cause}`).not.toContain('+1500')
  })

  it.each([
    ['a page', 200, '<html>hello</html>', 'unsure'],
    ['an error page', 502, '<html>bad gateway</html>', 'unsure'],
    ['half a response', 201, '{"sid": "CA', 'unsure'],
    ['nothing', 200, '', 'unsure'],
    ['a call with another name', 201, { sid: { no: 1 } }, 'unsure'],
    ['far too much', 201, JSON.stringify({ sid: 'x'.repeat(400_000) }), 'unsure'],
    ['another place', 302, '', 'refused'],
  ])('rejects %s', async (_what, status, body, kind) => {
    await using rest = await RestStandIn.open()
    rest.reply = () => ({ status, body })
    await expect(apiOf(rest).place(ORDER)).rejects.toMatchObject({ kind, code: 'DIAL_FAILED' })
  })

  it('reports that the call was not created if the connection is refused', async () => {
    const rest = await RestStandIn.open()
    await rest[Symbol.asyncDispose]()
    await expect(apiOf(rest).place(ORDER)).rejects.toMatchObject({
      kind: 'later',
      message: 'no response from the REST API (ECONNREFUSED)',
    })
  })

  it('needs credentials', () => {
    const make = (settings: object) => () => new TwilioCallsApi({ accountSid: ACCOUNT, ...settings })
    expect(make({})).toThrow('needs an auth token')
    expect(make({ apiKeySid: 'SK1', authToken: 'x' })).toThrow('needs an auth token')
    expect(make({ accountSid: 'SK1', authToken: 'x' })).toThrow('start with AC')
  })
})
