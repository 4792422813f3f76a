import { describe, expect, test } from 'vitest'
import {
  type AccountOptions,
  REST_ERROR_CODES,
  TwilioSimulator,
  twilioClientFor,
} from '../../../../src/simulator/index.ts'
import { ANA, account, ORDER, OWN, PATIENT, PUBLIC } from '../../../support/simulator/account-with-bridge.ts'

type Order = Parameters<Awaited<ReturnType<typeof account>>['client']['calls']['create']>[0]

/** Codes covered by a test here. */
const seen = new Set<number>()

async function failure(request: Promise<unknown>): Promise<unknown> {
  const error = await request.then(
    () => 'no error',
    error => error,
  )
  seen.add(error.code)
  return error
}

describe('an order is rejected', () => {
  test.each<
    [what: string, code: number, order: Partial<Record<keyof Order, unknown>>, terms?: AccountOptions]
  >([
    ['without a destination', 21201, { to: '' }],
    ['without a caller', 21213, { from: '' }],
    ['for an invalid number', 21211, { to: '+34' }],
    ['for a number too short for its country', 21211, { to: '+3460011' }],
    ['for words', 21211, { to: 'Ana' }],
    ['from an invalid number', 21212, { from: '555' }],
    ['from an unverified number', 21210, { from: '+15005550009' }],
    ['for a country that is not permitted', 21215, {}, { countries: ['US', 'GB'] }],
    ['for a blocked number', 21216, {}, { refused: { [ANA]: 21216 } }],
    ['for an unreachable number', 21214, {}, { refused: { [ANA]: 21214 } }],
    ['for a number that does not exist', 21217, {}, { refused: { [ANA]: 21217 } }],
    ['on trial, for a number that is not verified', 21219, {}, { type: 'Trial', verified: [OWN] }],
    ['without instructions', 21205, { url: undefined }],
    ['with instructions from nowhere', 21205, { url: 'bridge.example.com/answer' }],
    ['with instructions from a socket', 21205, { url: 'wss://bridge.example.com/answer' }],
    ['with an application', 21218, { url: undefined, applicationSid: 'AP1' }],
    [
      'with too many instructions',
      20001,
      { url: undefined, twiml: `<Response>${' '.repeat(4000)}</Response>` },
    ],
    ['with keys that phones do not have', 21206, { sendDigits: '12x' }],
    ['with an unknown machine detection', 21207, { machineDetection: 'Maybe' }],
    ['with a verdict without a callback', 21262, { machineDetection: 'Enable', asyncAmd: 'true' }],
    ['with too short a detection', 20001, { machineDetection: 'Enable', machineDetectionTimeout: 1 }],
    ['ringing too long', 21208, { timeout: 601 }],
    ['ringing not at all', 21208, { timeout: 0 }],
    ['with an endless call', 20001, { timeLimit: 86_401 }],
    ['by another method', 21209, { method: 'PUT' }],
    ['with a callback to nowhere', 21609, { statusCallback: '/status' }],
    ['with unknown events', 21626, { statusCallbackEvent: ['ringing', 'sneezing'] }],
  ])('%s: %i', async (_, code, order, terms = {}) => {
    await using a = await account(terms)
    const error = await failure(a.client.calls.create({ ...ORDER, ...order } as Order))
    expect(error).toMatchObject({
      code,
      status: 400,
      message: expect.stringMatching(/\w/),
      moreInfo: `https://www.twilio.com/docs/errors/${code}`,
    })
    expect(a.rest.count(code)).toBe(1)
    expect(a.rest.calls).toEqual([])
  })

  test('with too many calls: 10004', async () => {
    await using a = await account({ maxCalls: 1 })
    await a.client.calls.create(ORDER)
    expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ code: 10004 })
  })

  test.each([
    ['what the account has verified', { verified: ['+15005550009'] }, { from: '+15005550009' }],
    ['a verified number on trial', { type: 'Trial', verified: [ANA] }, {}],
    ['a permitted country', { countries: ['ES'] }, {}],
  ] as const)('but not for %s', async (_, terms, order) => {
    await using a = await account(terms)
    expect(await a.client.calls.create({ ...ORDER, ...order })).toMatchObject({ status: 'queued' })
  })
})

describe('a request is rejected', () => {
  test('with other credentials: 20003', async () => {
    await using a = await account({ apiKeys: { SK1: 'hidden' } })
    const { url, accountSid } = a.rest
    const wrong = await twilioClientFor({ url, accountSid, authToken: 'wrong' })
    expect(await failure(wrong.calls.create(ORDER))).toMatchObject({ code: 20003, status: 401 })
    for (const key of [
      { sid: 'SK1', secret: 'wrong' },
      { sid: 'SK2', secret: 'hidden' },
      { sid: 'constructor', secret: 'x' },
    ]) {
      const client = await twilioClientFor(a.rest, key)
      expect(await failure(client.calls.list())).toMatchObject({ code: 20003 })
    }
    const naked = await fetch(`${url}/2010-04-01/Accounts/${accountSid}.json`)
    expect(naked.status).toBe(401)
    expect(naked.headers.get('www-authenticate')).toMatch(/^Basic/)
    expect(await naked.json()).toEqual({
      code: 20003,
      message: 'Authenticate',
      more_info: 'https://www.twilio.com/docs/errors/20003',
      status: 401,
    })
    expect(a.rest.calls).toEqual([])
  })

  test('of an account that is not active: 20005', async () => {
    await using a = await account({ status: 'suspended' })
    expect(await failure(a.client.calls.list())).toMatchObject({ code: 20005, status: 401 })
  })

  test('for what does not exist: 20404', async () => {
    await using a = await account()
    const { calls, incomingPhoneNumbers } = a.client
    const strangers = a.client.api.accounts(`AC${'1'.repeat(32)}`).calls
    for (const request of [
      calls('CA1').fetch(),
      calls('CA1').update({ status: 'completed' }),
      incomingPhoneNumbers('PN1').fetch(),
      incomingPhoneNumbers('PN1').update({ voiceUrl: '' }),
      strangers.list(),
      a.client.queues.list(),
    ])
      expect(await failure(request)).toMatchObject({ code: 20404, status: 404 })
  })

  test('with an unsupported method: 20004', async () => {
    await using a = await account()
    const [number] = await a.client.incomingPhoneNumbers.list()
    expect(await failure(a.client.incomingPhoneNumbers(number?.sid ?? '').remove())).toMatchObject({
      code: 20004,
      status: 405,
    })
  })

  test('if there are too many in a second, but not later: 20429', async () => {
    await using a = await account({ requestsPerSecond: 2 })
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => a.client.calls.list()))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await failure(a.client.calls.list())).toMatchObject({ code: 20429, status: 429 })
    await expect.poll(() => a.client.calls.list().catch(() => 'refused'), PATIENT).toEqual([])
  })

  test('for a number with an invalid address: 21402, 21403', async () => {
    await using a = await account()
    const [number] = await a.client.incomingPhoneNumbers.list()
    const one = a.client.incomingPhoneNumbers(number?.sid ?? '')
    expect(await failure(one.update({ voiceUrl: 'nowhere', friendlyName: 'x' }))).toMatchObject({
      code: 21402,
    })
    expect(await failure(one.update({ voiceMethod: 'PATCH' }))).toMatchObject({ code: 21403 })
    expect(await one.fetch()).toMatchObject({ friendlyName: '(500) 555-0001', voiceUrl: '' })
  })

  test('for a call that is over, or not answered yet: 21220', async () => {
    await using a = await account()
    a.rest.subscriber(ANA, { behavior: 'no-answer' })
    const { sid } = await a.client.calls.create(ORDER)
    const one = a.client.calls(sid)
    expect(await failure(one.update({ twiml: '<Response/>' }))).toMatchObject({ code: 21220, status: 400 })
    expect(await one.update({ status: 'completed' })).toMatchObject({ status: 'canceled' })
    for (const change of [{ status: 'completed' }, { status: 'canceled' }, { url: ORDER.url }] as const)
      expect(await failure(one.update(change))).toMatchObject({ code: 21220 })
  })
})

describe('a fault of the API applies', () => {
  test('once, or until it is removed', async () => {
    await using a = await account()
    a.rest.faults.next({ code: 20503, only: 'POST Calls' })
    expect(await a.client.calls.list()).toEqual([])
    expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ code: 20503, status: 503 })
    expect(await a.client.calls.create(ORDER)).toMatchObject({ status: 'queued' })
    a.rest.faults.always({ code: 20500 })
    for (let time = 0; time < 2; time++)
      expect(await failure(a.client.calls.list())).toMatchObject({ code: 20500, status: 500 })
    a.rest.faults.heal()
    expect(await a.client.calls.list()).toHaveLength(1)
  })

  test('to the connection: before the request was carried out, and after, unknown to the client', async () => {
    await using a = await account()
    for (const cut of ['before', 'after'] as const) {
      a.rest.faults.next({ cut })
      expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ code: 'ECONNRESET' })
    }
    expect(a.rest.calls).toHaveLength(1)
  })

  test('as a response that is not the API’s', async () => {
    await using a = await account()
    a.rest.faults.next({ reply: { status: 502, body: '<html>bad gateway</html>' } })
    expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ status: 502 })
  })

  test('as a late response, or none', async () => {
    await using a = await account()
    a.rest.faults.next({ delayMs: 50 })
    expect(await a.client.calls.list()).toEqual([])
    a.rest.faults.next({ hang: true })
    const answer = fetch(a.rest.url, { signal: AbortSignal.timeout(100) })
    await expect(answer).rejects.toThrow(/timeout/)
  })

  test('to a client that sends far too much', async () => {
    await using rest = await TwilioSimulator.listen()
    const url = `${rest.url}/2010-04-01/Accounts/${rest.accountSid}/Calls.json`
    await expect(fetch(url, { method: 'POST', body: 'x'.repeat(1_000_000) })).rejects.toThrow()
    expect((await fetch(`${rest.url}/${PUBLIC}`)).status).toBe(401)
  })
})

test('every error is covered', () => {
  expect(REST_ERROR_CODES.filter(code => !seen.has(code))).toEqual([])
})
