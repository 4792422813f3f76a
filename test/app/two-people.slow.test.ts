import { describe, expect, test } from 'vitest'
import { type SimulatedCall, tone, voiceOf } from '../../simulator/index.ts'
import {
  FAINT,
  hears,
  LOUD,
  longest,
  NEAR_DB,
  SAID_DB,
  soundings,
  times,
} from '../support/e2e/phone-listener.ts'
import {
  DIAL,
  type Exchange,
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
} from '../support/e2e/two-party-harness.ts'
import { until } from '../support/until.ts'

// What the whole server does with two phones. The cases of each part are in test/core/calls, test/core/room and
// test/bridges, with an injected clock.

/** The clocks of both sides differ by the delays of a busy machine. */
const LATE_MS = 3_000

const TRANSLATED = { caller: translated(VOICE.caller, 'es-es'), callee: translated(VOICE.callee, 'en-us') }

/** Start of `hz`, by the clock that all phones share. */
function began(phone: SimulatedCall, hz: number): number {
  return phone.startedAt + (soundings(phone.heard(), hz, LOUD)[0]?.fromMs ?? Number.NaN)
}

/** Level of the longest tone of `hz`. */
function levelOf(listener: SimulatedCall, hz: number): number {
  return longest(soundings(listener.heard(), hz, FAINT)).db
}

async function talk(x: Exchange, caller: SimulatedCall, callee: SimulatedCall) {
  const first = await say(caller, VOICE.caller, 1_000)
  await translationsHeard(x, 1)
  const second = await say(callee, VOICE.callee, 1_000)
  await translationsHeard(x, 2)
  return { first, second }
}

const GREETING = voiceOf(tone(VOICE.callee, 2_000, 8_000))

/** An original plays at least `leastDb` softer than it was said: its distance below the translation is reached within seconds. */
function expectSofter(db: number, leastDb: number): void {
  expect(db).toBeLessThan(SAID_DB - leastDb)
  expect(db).toBeGreaterThan(SAID_DB - 32)
}

describe.concurrent('two people on the phone', () => {
  test('ring, talk, each in their own language, and hang up', async () => {
    await using x = await exchange({ callee: { answerAfterMs: 1_200 } })
    const { caller, callee } = await x.connected()
    const { first, second } = await talk(x, caller, callee)
    await caller.hangUp()
    await callee.ended
    const [callerHeard, calleeHeard] = [caller.heard(), callee.heard()]

    // First it rings, with a notice naming the callee, until the other answers.
    const [ringing] = soundings(callerHeard, RINGBACK_HZ, { bridgeMs: 500, floorDb: -30 })
    expect(ringing?.fromMs).toBeLessThan(LATE_MS)
    expect(caller.startedAt + (ringing?.toMs ?? 0)).toBeGreaterThan(callee.startedAt - 300)
    expect(caller.startedAt + (ringing?.toMs ?? 0)).toBeLessThan(callee.startedAt + LATE_MS)
    expect(times(callerHeard, noticeHz('connecting', 'en'))).toBe(1)
    expect(times(callerHeard, noticeHz('connected', 'en'))).toBe(1)
    expect(times(calleeHeard, noticeHz('incoming', 'es'))).toBe(1)
    // Each hears notices in their own language.
    expect(times(calleeHeard, noticeHz('incoming', 'en'))).toBe(0)
    expect(times(callerHeard, noticeHz('connected', 'es'))).toBe(0)

    // The other’s original at once, softly; its translation soon after they stop, at its own level.
    for (const [listener, said, hz, own] of [
      [callee, first, TRANSLATED.caller, VOICE.caller],
      [caller, second, TRANSLATED.callee, VOICE.callee],
    ] as const) {
      const [translation, ...more] = soundings(listener.heard(), hz, LOUD)
      expect(more).toEqual([])
      expect((translation?.toMs ?? 0) - (translation?.fromMs ?? 0)).toBeGreaterThan(850)
      expect(translation?.db).toBeGreaterThan(-20)
      const lateMs = began(listener, hz) - said.endedAt
      expect(lateMs).toBeGreaterThan(0)
      expect(lateMs).toBeLessThan(LATE_MS)
      expectSofter(levelOf(listener, own), 4)
    }
    // No one hears themselves, or what the other one hears.
    for (const hz of [VOICE.caller, TRANSLATED.caller]) expect(hears(callerHeard, hz)).toBe(false)
    for (const hz of [VOICE.callee, TRANSLATED.callee]) expect(hears(calleeHeard, hz)).toBe(false)

    // The remaining participant hears a notice and is hung up.
    expect(times(calleeHeard, noticeHz('other-left', 'es'))).toBe(1)
    for (const phone of [caller, callee]) {
      const { warnings, errors } = phone.report()
      expect([warnings, errors]).toEqual([[], []])
    }
    await until(() => x.twilio.calls.every(call => call.status === 'completed'), 5_000, 'both calls over')
    expect(x.app.relay.rooms.size).toBe(0)
  })

  test('the callee can hang up as well, and the caller hears a notice in their language', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    await callee.hangUp()
    expect(await caller.ended).toMatchObject({ kind: 'completed' })
    expect(times(caller.heard(), noticeHz('other-left', 'en'))).toBe(1)
  })

  test('hear the original not at all, or softly, depending on their side of the call', async () => {
    const number = { ...NUMBER, original: 'off', dial: { ...DIAL, original: 'low' } } as const
    await using x = await exchange({ number })
    const { caller, callee } = await x.connected()
    await talk(x, caller, callee)
    expect(hears(caller.heard(), VOICE.callee)).toBe(false)
    expect(times(caller.heard(), TRANSLATED.callee)).toBe(1)
    expectSofter(levelOf(callee, VOICE.caller), 12)
  })
})

test('a machine answers: the caller hears a notice, not the machine, and is hung up', async () => {
  const callee = { answerAfterMs: 800, behavior: 'voicemail', voice: GREETING } as const
  await using x = await exchange({ callee })
  const caller = await x.dial()
  expect(await caller.ended).toMatchObject({ kind: 'completed' })
  const notices = ['busy', 'no-answer', 'call-failed', 'voicemail', 'connected', 'other-left'] as const
  for (const name of notices)
    expect(times(caller.heard(), noticeHz(name, 'en')), name).toBe(name === 'voicemail' ? 1 : 0)
  expect(caller.report().warnings).toEqual([])
  expect(x.app.relay.rooms.size).toBe(0)
  await until(() => x.twilio.calls.every(({ over }) => over), 5_000, 'no phone is ringing')
  // It rang before.
  expect(soundings(caller.heard(), RINGBACK_HZ, FAINT).length).toBeGreaterThan(0)
  expect(x.events.dial).toMatchObject([{ outcome: 'voicemail' }])
  // The machine records no audio from the bridge.
  expect(hears(caller.heard(), VOICE.callee)).toBe(false)
  for (const phone of x.callee.calls) expect(phone.heard().some(sample => Math.abs(sample) > 50)).toBe(false)
})

describe.concurrent('a connection breaks', () => {
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
})

describe('the translation service', () => {
  test('is unavailable: everyone hears originals and a notice, and translations after its recovery', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 1)

    await x.service.stop()
    // A notice is for whoever hears a voice without its translation.
    await Promise.all([say(caller, VOICE.caller, 800), say(callee, VOICE.callee, 800)])
    await noticeHeard(x, 'service-unavailable', 2)
    await say(caller, VOICE.third, 1_000)
    await callee.quietFor(500)
    const original = longest(soundings(callee.heard(), VOICE.third, FAINT))
    expect(Math.abs(original.db - SAID_DB)).toBeLessThan(NEAR_DB)
    // Each in their own language.
    expect(times(callee.heard(), noticeHz('service-unavailable', 'es'))).toBe(1)
    expect(times(caller.heard(), noticeHz('service-unavailable', 'en'))).toBe(1)

    // Only the end of a long outage has a notice.
    await callee.quietFor(4_500)
    await x.service.start()
    await noticeHeard(x, 'service-back', 2)
    const before = times(callee.heard(), TRANSLATED.caller)
    const heard = x.events.utterance.filter(({ stage }) => stage === 'heard').length
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, heard + 1)
    await until(() => times(callee.heard(), TRANSLATED.caller) > before, 10_000, 'the translation')
    for (const phone of [caller, callee]) expect(phone.report().warnings).toEqual([])
  })
})
