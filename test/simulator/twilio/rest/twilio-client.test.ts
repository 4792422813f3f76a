import { describe, expect, test } from 'vitest'
import {
  type AccountOptions,
  type CallbackFaults,
  type CallEvent,
  twilioClientFor,
} from '../../../../simulator/index.ts'
import {
  ANA,
  account,
  ORDER,
  OWN,
  PATIENT,
  PUBLIC,
  type Rest,
} from '../../../support/simulator/account-with-bridge.ts'

const EVENTS: CallEvent[] = ['initiated', 'ringing', 'answered', 'completed']
const FOLLOWED = { ...ORDER, statusCallback: `${PUBLIC}/twilio/status`, statusCallbackEvent: EVENTS }
const HANG_UP = { twiml: '<Response><Hangup/></Response>' }

const failure = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('a call ordered by Twilio’s client', () => {
  test('has every field of the resource', async () => {
    await using a = await account()
    const call = await a.client.calls.create({ ...ORDER, timeout: 20, timeLimit: 600 })
    expect(call).toMatchObject({
      sid: expect.stringMatching(/^CA[0-9a-f]{32}$/),
      accountSid: a.rest.accountSid,
      to: ANA,
      from: OWN,
      phoneNumberSid: a.rest.numbers[0]?.sid,
      status: 'queued',
      direction: 'outbound-api',
      startTime: null,
      endTime: null,
      duration: null,
      answeredBy: null,
      apiVersion: '2010-04-01',
      uri: `/2010-04-01/Accounts/${a.rest.accountSid}/Calls/${call.sid}.json`,
    })
    expect(a.rest.requests).toMatchObject([
      { method: 'POST', status: 201, fields: { To: ANA, Timeout: '20' } },
    ])
  })

  test('goes through every state and reports each, signed', async () => {
    await using a = await account({}, HANG_UP)
    a.rest.subscriber(ANA)
    const { sid } = await a.client.calls.create(FOLLOWED)
    await expect.poll(() => a.bridge.hooks.at(-1)?.fields.CallStatus, PATIENT).toBe('completed')
    const events = a.bridge.hooks.filter(({ url }) => url === '/twilio/status').map(({ fields }) => fields)
    expect(events.map(({ CallStatus, SequenceNumber }) => [CallStatus, SequenceNumber])).toEqual([
      ['initiated', '0'],
      ['ringing', '1'],
      ['in-progress', '2'],
      ['completed', '3'],
    ])
    for (const event of events)
      expect(event).toMatchObject({ CallSid: sid, Direction: 'outbound-api', From: OWN, To: ANA })
    expect(events[3]).toMatchObject({ CallDuration: '0' })
    expect(a.verdicts()).toEqual(Array.from(a.bridge.hooks, () => true))
    const over = await a.client.calls(sid).fetch()
    expect(over).toMatchObject({ status: 'completed', duration: '0', startTime: expect.any(Date) })
    expect(await failure(a.client.calls(sid).update({ status: 'completed' }))).toMatchObject({ code: 21220 })
  })

  test('ends after its time limit', async () => {
    await using a = await account({}, { twiml: '<Response><Pause length="60"/></Response>' })
    const ana = a.rest.subscriber(ANA)
    await a.client.calls.create({ ...FOLLOWED, timeLimit: 1 })
    expect(await (await ana.call()).ended).toMatchObject({ kind: 'completed', reason: 'time limit' })
  })
})

test('the numbers of the account are found, read and changed', async () => {
  await using a = await account({
    numbers: { '+34910000000': {}, [OWN]: { VoiceUrl: 'https://old.example.com/' } },
  })
  const { incomingPhoneNumbers } = a.client
  const [number] = await incomingPhoneNumbers.list({ phoneNumber: OWN })
  expect(number).toMatchObject({ voiceUrl: 'https://old.example.com/', trunkSid: null, statusCallback: '' })
  const one = incomingPhoneNumbers(number?.sid ?? '')
  await one.update({ voiceUrl: `${PUBLIC}/twilio/voice` })
  expect(await failure(one.update({ voiceUrl: 'nowhere' }))).toMatchObject({ code: 21402 })
  expect(await one.fetch()).toMatchObject({ voiceUrl: `${PUBLIC}/twilio/voice` })
})

describe('Twilio’s client is told', () => {
  test.each<[what: string, code: number, order: object, terms?: AccountOptions]>([
    ['an invalid number', 21211, { to: '+34' }],
    ['a caller that is not verified', 21210, { from: '+15005550009' }],
    ['a country that is not permitted', 21215, {}, { countries: ['US', 'GB'] }],
    ['a number that was blocked by a test', 21216, {}, { refused: { [ANA]: 21216 } }],
    ['a number that is not verified, on trial', 21219, {}, { type: 'Trial', verified: [OWN] }],
    ['no instructions', 21205, { url: undefined }],
    ['too long a ringing', 21208, { timeout: 601 }],
    ['too many calls', 10004, {}, { maxCalls: 0 }],
    ['an account that is suspended', 20005, {}, { status: 'suspended' }],
  ])('%s: %i', async (_, code, order, terms = {}) => {
    await using a = await account(terms)
    expect(await failure(a.client.calls.create({ ...ORDER, ...order }))).toMatchObject({
      code,
      moreInfo: `https://www.twilio.com/docs/errors/${code}`,
    })
    expect(a.rest.count(code)).toBe(1)
    expect(a.rest.calls).toEqual([])
  })

  test('wrong credentials: 20003', async () => {
    await using a = await account({ apiKeys: { SK1: 'hidden' } })
    const { url, accountSid } = a.rest
    const right = await twilioClientFor(a.rest, { sid: 'SK1', secret: 'hidden' })
    expect(await right.incomingPhoneNumbers.list()).toHaveLength(1)
    for (const wrong of [
      await twilioClientFor({ url, accountSid, authToken: 'wrong' }),
      await twilioClientFor(a.rest, { sid: 'constructor', secret: 'x' }),
    ])
      expect(await failure(wrong.incomingPhoneNumbers.list())).toMatchObject({ code: 20003, status: 401 })
  })
})

test('faults of the API', async () => {
  await using a = await account()
  const { faults } = a.rest
  faults.next({ code: 20503, only: 'POST Calls' })
  expect(await a.client.incomingPhoneNumbers.list()).toHaveLength(1)
  expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ code: 20503, status: 503 })
  faults.always({ code: 20500 })
  for (let time = 0; time < 2; time++)
    expect(await failure(a.client.incomingPhoneNumbers.list())).toMatchObject({ code: 20500, status: 500 })
  faults.heal()
  // Before the request was carried out, and after it, which the client cannot know.
  for (const cut of ['before', 'after'] as const) {
    faults.next({ cut })
    expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ code: 'ECONNRESET' })
  }
  expect(a.rest.calls).toHaveLength(1)
  faults.next({ reply: { status: 502, body: '<html>bad gateway</html>' } })
  expect(await failure(a.client.calls.create(ORDER))).toMatchObject({ status: 502 })
  faults.next({ hang: true })
  await expect(fetch(a.rest.url, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/)
})

describe('callbacks arrive', () => {
  const arrived = ({ bridge }: Rest) => bridge.hooks.flatMap(({ fields }) => fields.SequenceNumber ?? [])

  async function callWith(a: Rest, faults: CallbackFaults): Promise<void> {
    Object.assign(a.rest.callbackFaults, faults)
    a.rest.subscriber(ANA)
    await a.client.calls.create(FOLLOWED)
  }

  test.each<[what: string, faults: CallbackFaults, order: string]>([
    ['twice', { duplicate: true }, '0 0 1 1 2 2 3 3'],
    ['in another order', { reorder: true }, '1 0 3 2'],
  ])('%s', async (_, faults, order) => {
    await using a = await account({}, HANG_UP)
    await callWith(a, faults)
    await expect.poll(() => arrived(a).join(' '), PATIENT).toBe(order)
  })

  test('again with the same idempotency token when the bridge fails', async () => {
    await using a = await account({}, { ...HANG_UP, status: 503 })
    await callWith(a, {})
    await expect.poll(() => arrived(a).join(' '), PATIENT).toBe('0 0 1 1 2 2 3 3')
    const tokens = a.bridge.hooks.flatMap(({ headers, fields }) =>
      fields.SequenceNumber === undefined ? [] : headers['i-twilio-idempotency-token'],
    )
    expect(new Set(tokens).size).toBe(4)
  })
})
