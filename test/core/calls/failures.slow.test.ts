import { describe, expect, test } from 'vitest'
import type { NoticeName } from '../../../src/core/model/announcer.ts'
import {
  type SimulatedCall,
  type SubscriberOptions,
  signRequest,
  tone,
  voiceOf,
} from '../../../src/simulator/index.ts'
import { FAINT, hears, soundings, times } from '../../support/e2e/phone-listener.ts'
import {
  CALLEE,
  DIAL,
  type Exchange,
  type ExchangeOptions,
  exchange,
  NUMBER,
  noticeHeard,
  noticeHz,
  PUBLIC,
  RINGBACK_HZ,
  say,
  translated,
  translationsHeard,
  VOICE,
} from '../../support/e2e/two-party-harness.ts'
import { pause, until } from '../../support/until.ts'

/** It rings for a second, not half a minute. */
const SHORT = { ...NUMBER, dial: { ...DIAL, ringSeconds: 1 } } as const

const GREETING = voiceOf(tone(VOICE.callee, 2_000, 8_000))

/** The call ends automatically, after the caller heard the reason in their language. */
async function expectTold(x: Exchange, caller: SimulatedCall, name: NoticeName): Promise<void> {
  expect(await caller.ended).toMatchObject({ kind: 'completed' })
  expect(times(caller.heard(), noticeHz(name, 'en')), name).toBe(1)
  for (const other of ['busy', 'no-answer', 'call-failed', 'voicemail', 'connected', 'other-left'] as const)
    if (other !== name) expect(times(caller.heard(), noticeHz(other, 'en')), other).toBe(0)
  expect(caller.report().warnings).toEqual([])
  expect(x.app.relay.rooms.size).toBe(0)
  await until(() => x.twilio.calls.every(({ over }) => over), 5_000, 'no phone is ringing')
}

describe.concurrent('the callee does not answer', { timeout: 40_000 }, () => {
  test.for<[what: string, callee: SubscriberOptions, notice: NoticeName, dialed: string]>([
    ['it is busy', { behavior: 'busy' }, 'busy', 'busy'],
    ['it is declined', { behavior: 'rejects' }, 'busy', 'busy'],
    ['there is no answer', { behavior: 'no-answer' }, 'no-answer', 'no-answer'],
    ['it fails', { behavior: 'fails' }, 'call-failed', 'failed'],
    ['a machine answers', { behavior: 'voicemail', voice: GREETING }, 'voicemail', 'voicemail'],
  ])('%s: the caller hears a notice and is hung up', async ([, callee, notice, dialed]) => {
    await using x = await exchange({ callee: { answerAfterMs: 800, ...callee }, number: SHORT })
    const caller = await x.dial()
    await expectTold(x, caller, notice)
    // It rang before.
    expect(soundings(caller.heard(), RINGBACK_HZ, FAINT).length).toBeGreaterThan(0)
    expect(x.events.dial).toMatchObject([{ outcome: dialed }])
    // Callers do not hear the machine’s greeting, and the machine records no audio from the bridge.
    expect(hears(caller.heard(), VOICE.callee)).toBe(false)
    for (const phone of x.callee.calls)
      expect(phone.heard().some(sample => Math.abs(sample) > 50)).toBe(false)
  })

  test('the caller hangs up during ringing: the ringing stops', async () => {
    await using x = await exchange({ callee: { behavior: 'no-answer' } })
    const caller = await x.dial()
    await until(() => x.twilio.calls[1]?.status === 'ringing', 5_000, 'that it rings')
    await caller.hangUp()
    await until(() => x.twilio.calls[1]?.status === 'canceled', 5_000, 'the cancellation')
    await until(() => x.app.relay.rooms.size === 0, 5_000, 'the room empty')
  })

  test('a machine called into a conversation hears none of it', async () => {
    await using x = await exchange()
    const { callee } = await x.connected()
    const machine = x.twilio.subscriber('+34600999888', { behavior: 'voicemail', detectAfterMs: 1_500 })
    const [room = ''] = x.app.relay.rooms.keys()
    const party = { room, speaks: 'en-us', hears: 'en-us' }
    const call = x.app.dialer!.dial({ to: '+34600999888', invitation: party })
    const talk = say(callee, VOICE.callee, 6_000)
    expect(await call.over).toBe('voicemail')
    await talk
    expect(machine.calls).toHaveLength(1)
    for (const phone of machine.calls) expect(phone.heard().some(sample => Math.abs(sample) > 50)).toBe(false)
  })

  test('the caller can stay, and be joined by another', async () => {
    const number = { ...SHORT, dial: { ...SHORT.dial, unanswered: 'stay' } } as const
    await using x = await exchange({ callee: { behavior: 'busy' }, number })
    const caller = await x.dial()
    await noticeHeard(x, 'busy')
    await pause(300)
    expect(caller.live).toBe(true)
    expect(hears(caller.heard().subarray(-2_400), RINGBACK_HZ)).toBe(false)
  })
})

describe.concurrent('the REST API', { timeout: 40_000 }, () => {
  test.for<[what: string, options: ExchangeOptions, code: number]>([
    ['does not permit the country', { twilio: { countries: ['US'] } }, 21215],
    ['rejects our credentials', { outbound: { authToken: 'wrong' } }, 20003],
    ['is on trial', { twilio: { type: 'Trial' } }, 21219],
  ])('%s: the caller hears a notice', async ([, options, code]) => {
    await using x = await exchange({ number: SHORT, ...options })
    const caller = await x.dial()
    await expectTold(x, caller, 'call-failed')
    expect(x.twilio.count(code)).toBe(1)
    expect(x.callee.calls).toEqual([])
  })

  test('has too many calls: the lines are full', async () => {
    await using x = await exchange({ number: SHORT, twilio: { maxCalls: 1 } })
    const caller = await x.dial()
    expect(await caller.ended).toMatchObject({ kind: 'completed' })
    expect(times(caller.heard(), noticeHz('line-full', 'en'))).toBe(1)
  })

  test('is retried after too many requests', async () => {
    await using x = await exchange()
    x.twilio.faults.next({ only: 'POST Calls', code: 20429 })
    await x.connected()
    expect(x.twilio.count(20429)).toBe(1)
  })

  test('breaks off with an unknown result: the call is not repeated, and the callee joins', async () => {
    await using x = await exchange()
    x.twilio.faults.next({ only: 'POST Calls', cut: 'after' })
    const { caller, callee } = await x.connected()
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 1)
    expect(times(callee.heard(), translated(VOICE.caller, 'es-es'))).toBe(1)
    expect(
      x.twilio.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('Calls.json')),
    ).toHaveLength(1)
    await caller.hangUp()
    await callee.ended
  })

  test('is down: the call fails after several attempts', async () => {
    await using x = await exchange({ number: SHORT })
    x.twilio.faults.always({ only: 'POST Calls', cut: 'before' })
    const caller = await x.dial()
    await expectTold(x, caller, 'call-failed')
  })
})

describe.concurrent('callbacks', { timeout: 40_000 }, () => {
  test.for([
    ['twice', { duplicate: true }],
    ['in another order', { reorder: true }],
    ['not at all', { lose: true }],
  ] as const)('come %s: both still talk, and both hang up', async ([, faults]) => {
    await using x = await exchange()
    Object.assign(x.twilio.callbackFaults, faults)
    const { caller, callee } = await x.connected()
    await say(callee, VOICE.callee, 800)
    await translationsHeard(x, 1)
    expect(times(caller.heard(), translated(VOICE.callee, 'en-us'))).toBe(1)
    await callee.hangUp()
    await caller.ended
    expect(times(caller.heard(), noticeHz('other-left', 'en'))).toBe(1)
    expect(x.events.dial).toMatchObject([{ outcome: 'answered' }, { outcome: 'hangup' }])
  })
})

describe.concurrent('a webhook', { timeout: 40_000 }, () => {
  test('delivered twice makes one call', async () => {
    await using x = await exchange()
    const caller = await x.dial({ quirks: { webhookTwice: true } })
    const callee = await x.callee.call(1)
    await noticeHeard(x, 'connected')
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 1)
    expect(times(callee.heard(), translated(VOICE.caller, 'es-es'))).toBe(1)
    expect(x.twilio.calls).toHaveLength(2)
    expect(x.app.relay.legs).toBe(2)
  })

  test('of a known CallSid neither rings again nor harms the call', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    const fields = { ...x.twilio.calls[0]?.fields('ringing') }
    const url = `${PUBLIC}/twilio/voice`
    const answer = await fetch(`${addressOf(x)}/twilio/voice`, {
      method: 'POST',
      headers: { 'x-twilio-signature': signRequest(x.twilio.authToken, url, fields) },
      body: new URLSearchParams(fields),
    })
    expect(answer.status).toBe(200)
    await say(callee, VOICE.callee, 800)
    await translationsHeard(x, 1)
    expect(times(caller.heard(), translated(VOICE.callee, 'en-us'))).toBe(1)
    expect(x.twilio.calls.filter(call => call.parties.to === CALLEE)).toHaveLength(1)
    expect(callee.live).toBe(true)
  })

  test('concurrent calls of one number are kept apart', async () => {
    await using x = await exchange()
    const [first, second] = await Promise.all([x.dial(), x.dial()])
    const callees = [await x.callee.call(1), await x.callee.call(2)]
    await noticeHeard(x, 'incoming', 2)
    await noticeHeard(x, 'connected', 2)
    await say(first, VOICE.caller, 800)
    await translationsHeard(x, 1)
    const heard = callees.map(phone => times(phone.heard(), translated(VOICE.caller, 'es-es')))
    expect(heard.sort()).toEqual([0, 1])
    expect(hears(second.heard(), VOICE.caller)).toBe(false)
    expect(x.app.relay.rooms.size).toBe(2)
  })
})

describe.concurrent('a connection breaks', { timeout: 40_000 }, () => {
  test.for(['caller', 'callee'] as const)('of the %s, and returns: the call continues', async who => {
    await using x = await exchange()
    const phones = await x.connected()
    phones[who].drop()
    await until(() => phones[who].report().streams[1]?.startedAt, 10_000, 'a new stream')
    await say(phones.caller, VOICE.caller, 800)
    await translationsHeard(x, 1)
    await say(phones.callee, VOICE.callee, 800)
    await translationsHeard(x, 2)
    expect(times(phones.callee.heard(), translated(VOICE.caller, 'es-es'))).toBe(1)
    expect(times(phones.caller.heard(), translated(VOICE.callee, 'en-us'))).toBe(1)
    // No one hears that the other has left, or is called again.
    expect(x.events.notice.filter(({ notice }) => /other-left|incoming|connected/.test(notice))).toHaveLength(
      4,
    )
    expect(x.twilio.calls).toHaveLength(2)
  })

  test('because of other instructions, and returns after them: it is the same participant', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    const party = x.app.relay.find(x.events.admitted[0]!.participant)!
    party.change({ original: 'off' })
    // A program of the account holds the call for a second, and sends it back.
    caller.update(`<Response><Pause length="1"/><Redirect>${PUBLIC}/twilio/voice</Redirect></Response>`)
    await until(() => caller.report().streams[1]?.startedAt, 10_000, 'a new stream')
    await say(callee, VOICE.callee, 800)
    await translationsHeard(x, 1)
    expect(times(caller.heard(), translated(VOICE.callee, 'en-us'))).toBe(1)
    expect(hears(caller.heard(), VOICE.callee)).toBe(false)
    expect(x.app.relay.find(x.events.admitted[0]!.participant)).toBe(party)
    expect([x.events.left, x.twilio.calls.length]).toEqual([[], 2])
    expect(x.events.notice.some(({ notice }) => notice.includes('other-left'))).toBe(false)
  })

  test('of the caller, permanently: the other hears a notice and is hung up', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    await caller.vanish()
    expect(await callee.ended).toMatchObject({ kind: 'completed' })
    expect(times(callee.heard(), noticeHz('other-left', 'es'))).toBe(1)
  })
})

function addressOf(x: Exchange): string {
  const address = x.app.server.server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
