import { describe, expect, test } from 'vitest'
import { ANA, account, OWN, PATIENT, PUBLIC } from '../../../support/simulator/account-with-bridge.ts'
import { CONNECT } from '../../../support/simulator/fake-bridge.ts'

const NUMBERS = {
  [OWN]: { VoiceUrl: `${PUBLIC}/twilio/voice?desk=1`, StatusCallback: `${PUBLIC}/twilio/status` },
}

describe('a call to a number of the account', () => {
  test('goes to its webhook, signed, and its end is reported', async () => {
    await using a = await account({ numbers: NUMBERS }, { twiml: CONNECT })
    const ana = a.rest.subscriber(ANA)
    const phone = await ana.dial(OWN)
    expect(ana.calls).toEqual([phone])
    const [call] = a.rest.calls
    expect(call?.status).toBe('in-progress')
    expect(a.bridge.hooks[0]).toMatchObject({
      url: '/twilio/voice?desk=1',
      fields: { CallSid: call?.sid, Direction: 'inbound', CallStatus: 'ringing', From: ANA, To: OWN },
    })
    expect(await a.client.calls(phone.callSid).fetch()).toMatchObject({
      direction: 'inbound',
      status: 'in-progress',
    })
    await phone.hangUp()
    await expect
      .poll(() => a.bridge.hooks.at(-1), PATIENT)
      .toMatchObject({ url: '/twilio/status', fields: { CallStatus: 'completed', CallSid: phone.callSid } })
    expect(a.verdicts()).toEqual([true, true])
  })

  test('rejects a setting that numbers do not have', async () => {
    const wrong = { [OWN]: { voiceUrl: `${PUBLIC}/twilio/voice` } } as unknown as typeof NUMBERS
    await expect(account({ numbers: wrong })).rejects.toThrow('got voiceUrl')
  })

  test.each([
    ['busy', '<Reject reason="busy"/>', 'busy'],
    ['no-answer', '<Reject/>', 'no-answer'],
    ['failed', '<Broken', 'failed'],
    ['completed', '<Hangup/>', 'completed'],
  ])('is %s in the account’s books when it is answered so', async (_, verbs, status) => {
    await using a = await account({ numbers: NUMBERS }, { twiml: `<Response>${verbs}</Response>` })
    await a.rest.subscriber(ANA).dial(OWN)
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe(status)
  })

  test('is changed and ended by the API', async () => {
    await using a = await account({ numbers: NUMBERS }, { twiml: CONNECT })
    const phone = await a.rest.subscriber(ANA).dial(OWN)
    const one = a.client.calls(phone.callSid)
    await one.update({ twiml: '<Response><Say>Moved</Say><Gather timeout="60"/></Response>' })
    await expect.poll(() => phone.report().said, PATIENT).toEqual(['Moved'])
    await one.update({ status: 'completed' })
    expect(await phone.ended).toMatchObject({ kind: 'completed' })
  })

  test('ends at once without a webhook, and follows the API’s settings', async () => {
    await using a = await account({}, { twiml: CONNECT })
    const ana = a.rest.subscriber(ANA)
    expect(await (await ana.dial(OWN)).ended).toMatchObject({ kind: 'completed' })
    expect(a.bridge.hooks).toEqual([])
    const [number] = await a.client.incomingPhoneNumbers.list({ phoneNumber: OWN })
    await a.client.incomingPhoneNumbers(number?.sid ?? '').update({ voiceUrl: `${PUBLIC}/twilio/voice` })
    const phone = await ana.dial(OWN)
    expect(phone.live).toBe(true)
    expect(a.bridge.hooks).toHaveLength(1)
  })

  test('is possible only for numbers of the account', async () => {
    await using a = await account()
    await expect(a.rest.subscriber(ANA).dial('+15005550009')).rejects.toThrow(`has the numbers ${OWN}`)
  })

  test('that is hung up before it was answered is canceled', async () => {
    await using a = await account(
      { numbers: NUMBERS },
      { twiml: '<Response><Redirect>/twilio/voice</Redirect></Response>' },
    )
    const ana = a.rest.subscriber(ANA)
    void ana.dial(OWN)
    const phone = await ana.call(1)
    await phone.hangUp()
    await expect.poll(() => a.rest.calls[0]?.status, PATIENT).toBe('canceled')
  })
})

test('everything ends with the simulator', async () => {
  const a = await account({ numbers: NUMBERS }, { twiml: CONNECT })
  const ana = a.rest.subscriber(ANA)
  const placed = await ana.dial(OWN)
  await a.client.calls.create({ to: ANA, from: OWN, url: `${PUBLIC}/twilio/answer` })
  const called = await ana.call(2)
  await a[Symbol.asyncDispose]()
  expect([placed.live, called.live]).toEqual([false, false])
  await a.rest.close()
})
