import { describe, expect, test } from 'vitest'
import type { CallEvent, SubscriberOptions } from '../../../../src/simulator/index.ts'
import { tone } from '../../../../src/simulator/index.ts'
import {
  ANA,
  account,
  ORDER,
  OWN,
  PATIENT,
  PUBLIC,
  type Rest,
} from '../../../support/simulator/account-with-bridge.ts'
import { CONNECT } from '../../../support/simulator/fake-bridge.ts'

const EVENTS: CallEvent[] = ['initiated', 'ringing', 'answered', 'completed']
const FOLLOWED = { ...ORDER, statusCallback: `${PUBLIC}/twilio/status`, statusCallbackEvent: EVENTS }
const HANG_UP = '<Response><Hangup/></Response>'
const WAIT = '<Response><Pause length="60"/></Response>'
/** Waits until a key is pressed. */
const ASK = '<Response><Gather timeout="60"/></Response>'

/** Requests to the bridge, in order. */
function told({ bridge }: Rest) {
  return bridge.hooks.filter(({ url }) => url.startsWith('/twilio/status')).map(({ fields }) => fields)
}

async function toldAll(a: Rest): Promise<Record<string, string>[]> {
  const final = (status?: string) =>
    ['completed', 'busy', 'no-answer', 'failed', 'canceled'].includes(status ?? '')
  await expect.poll(() => final(told(a).at(-1)?.CallStatus), PATIENT).toBe(true)
  return told(a)
}

describe('an answered call', () => {
  test('goes through every state, reports each, and is signed', async () => {
    await using a = await account({}, { twiml: HANG_UP })
    a.rest.subscriber(ANA)
    const { sid } = await a.client.calls.create(FOLLOWED)
    const events = await toldAll(a)
    expect(events.map(({ CallStatus }) => CallStatus)).toEqual([
      'initiated',
      'ringing',
      'in-progress',
      'completed',
    ])
    expect(events.map(({ SequenceNumber }) => SequenceNumber)).toEqual(['0', '1', '2', '3'])
    for (const event of events)
      expect(event).toMatchObject({
        CallSid: sid,
        AccountSid: a.rest.accountSid,
        Direction: 'outbound-api',
        From: OWN,
        To: ANA,
        CallbackSource: 'call-progress-events',
        Timestamp: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/),
      })
    expect(events[2]?.CallDuration).toBeUndefined()
    expect(events[3]).toMatchObject({ CallDuration: '0', Duration: '0' })
    expect(a.bridge.hooks.find(({ url }) => url === '/twilio/answer')?.fields).toMatchObject({
      CallSid: sid,
      CallStatus: 'in-progress',
      Direction: 'outbound-api',
    })
    expect(a.verdicts()).toEqual(Array.from(a.bridge.hooks, () => true))
  })

  test('has a real media stream: audio flows in both directions, and a hang-up ends it', async () => {
    await using a = await account({}, { twiml: CONNECT })
    const voice = tone(700, 400, 8000)
    const ana = a.rest.subscriber(ANA, { voice: async call => void (await call.say(voice)) })
    const { sid } = await a.client.calls.create(FOLLOWED)
    const phone = await ana.call(1)
    expect(phone.callSid).toBe(sid)
    await expect.poll(() => phone.report().sent, PATIENT).toBeGreaterThan(25)
    const [stream] = a.bridge.sockets
    expect(stream?.messages[1]).toMatchObject({ start: { callSid: sid, customParameters: { token: 't1' } } })
    const loud = stream?.messages.filter(({ media }) => media && !/^\/+w==$/.test(media.payload))
    expect(loud?.length).toBeGreaterThanOrEqual(20)
    await phone.hangUp()
    expect((await toldAll(a)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    expect(stream?.messages.at(-1)?.event).toBe('stop')
  })

  test('can bring its instructions, or have them fetched by GET', async () => {
    await using a = await account({}, { twiml: HANG_UP })
    const ana = a.rest.subscriber(ANA)
    await a.client.calls.create({ to: ANA, from: OWN, twiml: '<Response><Say>Hola</Say></Response>' })
    const first = await ana.call(1)
    await first.ended
    expect(first.report().said).toEqual(['Hola'])
    expect(a.bridge.hooks).toEqual([])
    await a.client.calls.create({ ...ORDER, method: 'GET' })
    await (await ana.call(2)).ended
    expect(a.bridge.hooks[0]?.url).toContain('/twilio/answer?AccountSid=')
    expect(a.verdicts()).toEqual([true])
  })

  test('ends after its time', async () => {
    await using a = await account({}, { twiml: WAIT })
    const ana = a.rest.subscriber(ANA)
    await a.client.calls.create({ ...FOLLOWED, timeLimit: 1 })
    const phone = await ana.call()
    expect(await phone.ended).toMatchObject({ kind: 'completed', reason: 'time limit' })
    expect((await toldAll(a)).at(-1)).toMatchObject({ CallStatus: 'completed', CallDuration: '1' })
  })

  test('reports only its end by default', async () => {
    await using a = await account({}, { twiml: HANG_UP })
    a.rest.subscriber(ANA)
    await a.client.calls.create({ ...ORDER, statusCallback: `${PUBLIC}/twilio/status` })
    expect((await toldAll(a)).map(({ CallStatus }) => CallStatus)).toEqual(['completed'])
  })
})

describe('an unanswered call', () => {
  test.each<[SubscriberOptions | undefined, status: string, sip: string, ringing: boolean]>([
    [{ behavior: 'busy' }, 'busy', '486', true],
    [{ behavior: 'rejects' }, 'busy', '603', true],
    [{ behavior: 'fails' }, 'failed', '404', true],
    [{ behavior: 'no-answer' }, 'no-answer', '487', true],
    [{ answerAfterMs: 5_000 }, 'no-answer', '487', true],
    [undefined, 'failed', '404', false],
  ])('by a callee who %o: %s', async (options, status, sip, ringing) => {
    await using a = await account()
    if (options) a.rest.subscriber(ANA, options)
    const { sid } = await a.client.calls.create({ ...FOLLOWED, timeout: 1 })
    const events = await toldAll(a)
    expect(events.map(({ CallStatus }) => CallStatus)).toEqual(
      ringing ? ['initiated', 'ringing', status] : ['initiated', status],
    )
    expect(events.at(-1)).toMatchObject({ SipResponseCode: sip, CallDuration: '0' })
    expect(await a.client.calls(sid).fetch()).toMatchObject({ status, duration: '0', startTime: null })
    expect(a.bridge.hooks.some(({ url }) => url === '/twilio/answer')).toBe(false)
  })

  test.each(['completed', 'canceled'] as const)('because it is canceled: %s', async status => {
    await using a = await account()
    a.rest.subscriber(ANA, { behavior: 'no-answer' })
    const { sid } = await a.client.calls.create(FOLLOWED)
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe('ringing')
    await a.client.calls(sid).update({ status })
    expect((await toldAll(a)).at(-1)).toMatchObject({ CallStatus: 'canceled' })
  })
})

describe('a call in progress', () => {
  async function talking(a: Rest) {
    const ana = a.rest.subscriber(ANA)
    const { sid } = await a.client.calls.create(FOLLOWED)
    return { one: a.client.calls(sid), phone: await ana.call() }
  }

  test('is hung up by the API', async () => {
    await using a = await account({}, { twiml: CONNECT })
    const { one, phone } = await talking(a)
    await expect.poll(() => phone.report().sent, PATIENT).toBeGreaterThan(3)
    expect(await one.update({ status: 'completed' })).toMatchObject({ status: 'completed' })
    expect(await phone.ended).toMatchObject({ kind: 'completed' })
    expect(a.bridge.sockets[0]?.messages.at(-1)?.event).toBe('stop')
  })

  test('can no longer be canceled', async () => {
    await using a = await account({}, { twiml: ASK })
    const { one } = await talking(a)
    expect(await one.update({ status: 'canceled' })).toMatchObject({ status: 'in-progress' })
  })

  test('receives new instructions, by TwiML or from elsewhere; its stream ends', async () => {
    const then = '<Response><Say>Two</Say><Gather timeout="60"/></Response>'
    await using a = await account(
      {},
      { twiml: ({ CallStatus }, count) => (count === 1 || !CallStatus ? CONNECT : then) },
    )
    const ana = a.rest.subscriber(ANA)
    const { sid } = await a.client.calls.create(ORDER)
    const phone = await ana.call()
    await expect.poll(() => a.bridge.sockets.length, PATIENT).toBe(1)
    await a.client.calls(sid).update({ twiml: '<Response><Say>One</Say><Gather timeout="60"/></Response>' })
    await expect.poll(() => phone.report().said, PATIENT).toEqual(['One'])
    expect(a.bridge.sockets[0]?.messages.at(-1)?.event).toBe('stop')
    await a.client.calls(sid).update({ url: `${PUBLIC}/twilio/other` })
    await expect.poll(() => phone.report().said, PATIENT).toEqual(['One', 'Two'])
    expect(a.bridge.hooks.at(-1)).toMatchObject({
      url: '/twilio/other',
      fields: { CallStatus: 'in-progress' },
    })
    expect(a.verdicts()).toEqual([true, true])
  })

  test('gets another limit, and another callback', async () => {
    await using a = await account({}, { twiml: ASK })
    const { one, phone } = await talking(a)
    await one.update({ timeLimit: 1, statusCallback: `${PUBLIC}/twilio/status-2` })
    expect(await phone.ended).toMatchObject({ reason: 'time limit' })
    await expect.poll(() => a.bridge.hooks.at(-1)?.url, PATIENT).toBe('/twilio/status-2')
  })
})

describe('machine detection', () => {
  const AMD = { ...ORDER, machineDetection: 'Enable', asyncAmdStatusCallback: `${PUBLIC}/twilio/machine` }

  test.each<[SubscriberOptions, mode: string, string]>([
    [{}, 'Enable', 'human'],
    [{ behavior: 'voicemail' }, 'Enable', 'machine_start'],
    [{ behavior: 'voicemail' }, 'DetectMessageEnd', 'machine_end_beep'],
    [{ answeredBy: 'fax' }, 'Enable', 'fax'],
    [{ detectAfterMs: 60_000 }, 'Enable', 'unknown'],
  ])('%o, detected by %s: %s, reported during the call', async (options, machineDetection, answeredBy) => {
    await using a = await account({}, { twiml: ({ AnsweredBy }) => (AnsweredBy ? HANG_UP : ASK) })
    const ana = a.rest.subscriber(ANA, options)
    await a.client.calls.create({ ...AMD, machineDetection, asyncAmd: 'true', machineDetectionTimeout: 3 })
    const phone = await ana.call()
    const verdict = () => a.bridge.hooks.find(({ url }) => url === '/twilio/machine')?.fields
    await expect.poll(verdict, PATIENT).toMatchObject({
      CallSid: phone.callSid,
      AccountSid: a.rest.accountSid,
      AnsweredBy: answeredBy,
      MachineDetectionDuration: expect.stringMatching(/^\d+$/),
    })
    // The instructions did not wait for it.
    expect(a.bridge.hooks[0]).toMatchObject({ url: '/twilio/answer' })
    expect(a.bridge.hooks[0]?.fields.AnsweredBy).toBeUndefined()
    expect(await a.client.calls(phone.callSid).fetch()).toMatchObject({ answeredBy })
    expect(a.verdicts()).toEqual([true, true])
  })

  test('is in the request for instructions without a callback', async () => {
    await using a = await account({}, { twiml: HANG_UP })
    a.rest.subscriber(ANA, { behavior: 'voicemail' })
    await a.client.calls.create({ ...ORDER, machineDetection: 'Enable' })
    await expect.poll(() => a.bridge.hooks.length, PATIENT).toBe(1)
    expect(a.bridge.hooks[0]?.fields.AnsweredBy).toBe('machine_start')
  })

  test('has no result when they hang up first', async () => {
    await using a = await account({}, { twiml: HANG_UP })
    a.rest.subscriber(ANA, { detectAfterMs: 100 })
    await a.client.calls.create({ ...AMD, asyncAmd: 'true' })
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe('completed')
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(a.bridge.hooks.map(({ url }) => url)).toEqual(['/twilio/answer'])
  })
})
