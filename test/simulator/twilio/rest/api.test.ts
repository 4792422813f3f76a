import { describe, expect, test } from 'vitest'
import { twilioClientFor } from '../../../../src/simulator/index.ts'
import { ANA, account, ORDER, OWN, PATIENT, PUBLIC } from '../../../support/simulator/account-with-bridge.ts'

describe('calls', () => {
  test('are created, with every field of the resource', async () => {
    await using a = await account()
    const call = await a.client.calls.create({ ...ORDER, timeout: 20, timeLimit: 600 })
    expect(call).toMatchObject({
      sid: expect.stringMatching(/^CA[0-9a-f]{32}$/),
      accountSid: a.rest.accountSid,
      to: ANA,
      toFormatted: ANA,
      from: OWN,
      fromFormatted: '(500) 555-0001',
      phoneNumberSid: a.rest.numbers[0]?.sid,
      status: 'queued',
      direction: 'outbound-api',
      startTime: null,
      endTime: null,
      duration: null,
      answeredBy: null,
      price: null,
      priceUnit: 'USD',
      apiVersion: '2010-04-01',
      parentCallSid: null,
      uri: `/2010-04-01/Accounts/${a.rest.accountSid}/Calls/${call.sid}.json`,
    })
    expect(call.dateCreated.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect(call.subresourceUris.streams).toContain(`${call.sid}/Streams.json`)
    expect(a.rest.requests).toEqual([
      {
        method: 'POST',
        path: `/2010-04-01/Accounts/${a.rest.accountSid}/Calls.json`,
        fields: { To: ANA, From: OWN, Url: ORDER.url, Timeout: '20', TimeLimit: '600' },
        status: 201,
        code: undefined,
      },
    ])
  })

  test('are fetched in their current state, with times and duration at the end', async () => {
    await using a = await account({}, { twiml: '<Response><Hangup/></Response>' })
    a.rest.subscriber(ANA)
    const { sid } = await a.client.calls.create(ORDER)
    await expect.poll(async () => (await a.client.calls(sid).fetch()).status, PATIENT).toBe('completed')
    const over = await a.client.calls(sid).fetch()
    expect(over.duration).toBe('0')
    expect(over.startTime).toBeInstanceOf(Date)
    expect(over.endTime.getTime()).toBeGreaterThanOrEqual(over.startTime.getTime())
  })

  test('are listed, newest first, page by page', async () => {
    await using a = await account()
    const made: string[] = []
    for (let count = 0; count < 5; count++) made.unshift((await a.client.calls.create(ORDER)).sid)
    const listed = await a.client.calls.list({ pageSize: 2 })
    expect(listed.map(({ sid }) => sid)).toEqual(made)
    expect(
      a.rest.requests.slice(5).map(({ path }) => new URL(path, PUBLIC).searchParams.get('Page')),
    ).toEqual([null, '1', '2'])
    const second = await a.client.calls.page({ pageSize: 2, pageNumber: 1 })
    expect(second.instances.map(({ sid }) => sid)).toEqual(made.slice(2, 4))
    const first = await second.previousPage()
    expect(first?.instances.map(({ sid }) => sid)).toEqual(made.slice(0, 2))
    expect((await a.client.calls.list({ limit: 3 })).length).toBe(3)
  })

  test('are listed by the query', async () => {
    await using a = await account({}, { twiml: '<Response><Hangup/></Response>' })
    const other = '+34600111333'
    a.rest.subscriber(ANA, { behavior: 'busy' })
    a.rest.subscriber(other)
    const busy = await a.client.calls.create(ORDER)
    const answered = await a.client.calls.create({ ...ORDER, to: other })
    await expect.poll(() => a.rest.calls.every(call => call.over), PATIENT).toBe(true)
    const listed = async (by: Parameters<typeof a.client.calls.list>[0]) =>
      (await a.client.calls.list(by)).map(({ sid }) => sid)
    const day = 86_400_000
    const now = Date.now()
    expect(await listed({ to: ANA })).toEqual([busy.sid])
    expect(await listed({ from: OWN })).toHaveLength(2)
    expect(await listed({ from: ANA })).toEqual([])
    expect(await listed({ status: 'busy' })).toEqual([busy.sid])
    expect(await listed({ status: 'completed' })).toEqual([answered.sid])
    expect(await listed({ parentCallSid: busy.sid })).toEqual([])
    // Only an answered call has a time.
    expect(await listed({ startTimeAfter: new Date(now - day) })).toEqual([answered.sid])
    expect(await listed({ startTimeBefore: new Date(now - day) })).toEqual([])
    expect(await listed({ endTimeBefore: new Date(now + day) })).toHaveLength(2)
    expect(await listed({ endTime: new Date(now - 3 * day) })).toEqual([])
  })

  test('can be deleted only when they are over', async () => {
    await using a = await account()
    a.rest.subscriber(ANA, { behavior: 'no-answer' })
    const { sid } = await a.client.calls.create(ORDER)
    await expect(a.client.calls(sid).remove()).rejects.toMatchObject({ code: 21220 })
    await a.client.calls(sid).update({ status: 'canceled' })
    expect(await a.client.calls(sid).remove()).toBe(true)
    await expect(a.client.calls(sid).fetch()).rejects.toMatchObject({ code: 20404, status: 404 })
  })
})

describe('the account', () => {
  test('returns its identity, by its token or by a key', async () => {
    await using a = await account({ type: 'Trial', apiKeys: { SK1: 'hidden' } })
    const byKey = await twilioClientFor(a.rest, { sid: 'SK1', secret: 'hidden' })
    for (const client of [a.client, byKey]) {
      const fetched = await client.api.accounts(a.rest.accountSid).fetch()
      expect(fetched).toMatchObject({ sid: a.rest.accountSid, type: 'Trial', status: 'active' })
    }
  })

  test('finds, reads and changes its numbers', async () => {
    const numbers = {
      [OWN]: { VoiceUrl: 'https://old.example.com/', VoiceMethod: 'GET' },
      '+34910000000': {},
    }
    await using a = await account({ numbers })
    const { incomingPhoneNumbers } = a.client
    expect(await incomingPhoneNumbers.list()).toHaveLength(2)
    expect(await incomingPhoneNumbers.list({ phoneNumber: '+3491*' })).toHaveLength(1)
    const [number] = await incomingPhoneNumbers.list({ phoneNumber: OWN })
    expect(number).toMatchObject({
      sid: expect.stringMatching(/^PN/),
      phoneNumber: OWN,
      friendlyName: '(500) 555-0001',
      voiceUrl: 'https://old.example.com/',
      voiceMethod: 'GET',
      voiceApplicationSid: null,
      trunkSid: null,
      statusCallback: '',
      capabilities: { voice: true },
      status: 'in-use',
    })
    const changed = await incomingPhoneNumbers(number?.sid ?? '').update({
      voiceUrl: `${PUBLIC}/twilio/voice`,
      voiceMethod: 'POST',
      statusCallback: `${PUBLIC}/twilio/status`,
      voiceApplicationSid: 'AP1',
    })
    expect(changed).toMatchObject({ voiceUrl: `${PUBLIC}/twilio/voice`, voiceApplicationSid: 'AP1' })
    const back = await incomingPhoneNumbers(changed.sid).update({ voiceUrl: '', voiceApplicationSid: '' })
    expect(back).toMatchObject({ voiceUrl: '', voiceApplicationSid: null, voiceMethod: 'POST' })
    expect(await incomingPhoneNumbers(changed.sid).fetch()).toMatchObject({ voiceUrl: '' })
  })

  test('lists its verified numbers, and the permitted countries', async () => {
    await using a = await account({ verified: [ANA], countries: ['US'] })
    expect(await a.client.outgoingCallerIds.list({ phoneNumber: ANA })).toMatchObject([{ phoneNumber: ANA }])
    expect(await a.client.outgoingCallerIds.list({ phoneNumber: OWN })).toEqual([])
    const { countries } = a.client.voice.v1.dialingPermissions
    expect(await countries('ES').fetch()).toMatchObject({
      isoCode: 'ES',
      name: 'Spain',
      countryCodes: ['+34'],
      lowRiskNumbersEnabled: false,
    })
    expect(await countries('US').fetch()).toMatchObject({ lowRiskNumbersEnabled: true })
    await expect(countries('XX').fetch()).rejects.toMatchObject({ code: 20404 })
  })
})
