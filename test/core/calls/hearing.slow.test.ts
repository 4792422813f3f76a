import { describe, expect, test } from 'vitest'
import type { SimulatedCall } from '../../../src/simulator/index.ts'
import {
  FAINT,
  hears,
  LOUD,
  levelBetween,
  longest,
  NEAR_DB,
  SAID_DB,
  soundings,
  times,
} from '../../support/e2e/phone-listener.ts'
import {
  DIAL,
  type Exchange,
  exchange,
  NUMBER,
  noticeHeard,
  noticeHz,
  RINGBACK_HZ,
  say,
  translated,
  translationsHeard,
  VOICE,
} from '../../support/e2e/two-party-harness.ts'
import { pause, until } from '../../support/until.ts'

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

describe.concurrent('two people on the phone', { timeout: 40_000 }, () => {
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

    // The other’s original at once, softly (9 dB); its translation soon after they stop, at its own level.
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
      expect(Math.abs(levelOf(listener, own) - (SAID_DB - 9))).toBeLessThan(NEAR_DB)
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
    expect(Math.abs(levelOf(callee, VOICE.caller) - (SAID_DB - 18))).toBeLessThan(NEAR_DB)
  })

  test('with the same language hear each other unchanged, without using the service', async () => {
    const number = { ...NUMBER, dial: { ...DIAL, speaks: 'en-us', hears: 'en-us' } } as const
    await using x = await exchange({ number })
    const { caller, callee } = await x.connected()
    await say(caller, VOICE.caller, 1_000)
    await callee.quietFor(300)
    expect(Math.abs(levelOf(callee, VOICE.caller) - SAID_DB)).toBeLessThan(NEAR_DB)
    expect(x.service.sessions.filter(({ namespace }) => namespace === '/sts')).toEqual([])
  })

  test('hear the original under its translation, softer during the translation', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    // Utterances of one second without pauses: the first translation plays during the second utterance.
    await say(caller, VOICE.caller, 1_000)
    const second = say(caller, VOICE.third, 900)
    await translationsHeard(x, 1)
    await second
    const heard = callee.heard()
    const [translation] = soundings(heard, TRANSLATED.caller, LOUD)
    const under = levelBetween(
      heard,
      VOICE.third,
      (translation?.fromMs ?? 0) + 200,
      (translation?.toMs ?? 0) - 200,
    )
    expect(under).toBeLessThan(SAID_DB - 15)
  })
})

describe.concurrent('key commands', { timeout: 40_000 }, () => {
  test('*1 pauses interpreting: both hear each other unchanged, and resumes it', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    caller.press('*1')
    // Both hear the notice, each in their own language.
    await noticeHeard(x, 'interpreting-paused', 2)
    await say(caller, VOICE.caller, 1_000)
    await callee.quietFor(400)
    expect(Math.abs(levelOf(callee, VOICE.caller) - SAID_DB)).toBeLessThan(NEAR_DB)
    expect(hears(callee.heard(), TRANSLATED.caller)).toBe(false)
    expect(times(callee.heard(), noticeHz('interpreting-paused', 'es'))).toBe(1)
    expect(times(caller.heard(), noticeHz('interpreting-paused', 'en'))).toBe(1)
    caller.press('*1')
    await noticeHeard(x, 'interpreting-resumed', 2)
    await say(caller, VOICE.caller, 1_000)
    await translationsHeard(x, 1)
    expect(times(callee.heard(), TRANSLATED.caller)).toBe(1)
  })

  test('*3 mutes: no audio and no translation until it is pressed again', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    caller.press('*3')
    await noticeHeard(x, 'muted')
    await say(caller, VOICE.caller, 800)
    caller.press('*3')
    await noticeHeard(x, 'unmuted')
    expect(hears(callee.heard(), VOICE.caller)).toBe(false)
    await say(caller, VOICE.third, 800)
    await translationsHeard(x, 1)
    expect(hears(callee.heard(), TRANSLATED.caller)).toBe(false)
    expect(times(callee.heard(), translated(VOICE.third, 'es-es'))).toBe(1)
  })

  test('*2 repeats the last translation for the requester', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 1)
    // So that it is detected separately.
    await pause(1_000)
    callee.press('*2')
    const repeated = () => x.events.notice.some(n => n.notice === 'repeat' && n.stage === 'heard')
    await until(repeated, 10_000, 'the whole repetition')
    const [once, again, ...more] = soundings(callee.heard(), TRANSLATED.caller, LOUD)
    // It is the same sound; `test/core/room/announcement.test.ts` compares the samples.
    expect(more).toEqual([])
    expect(Math.abs((again?.db ?? 0) - (once?.db ?? 0))).toBeLessThan(NEAR_DB)
    expect(hears(caller.heard(), TRANSLATED.caller)).toBe(false)
  })
})
