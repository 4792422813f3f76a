import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { FAINT, LOUD, longest, NEAR_DB, SAID_DB, soundings, times } from '../../support/e2e/phone-listener.ts'
import {
  CALLER,
  exchange,
  NUMBER,
  noticeHeard,
  noticeHz,
  say,
  translated,
  translationsHeard,
  VOICE,
} from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const LANGUAGES = ['en-us', 'es-es', 'fr-fr'] as const
const DOOR = '+15005550014'

describe.concurrent('the menu asks callers', { timeout: 40_000 }, () => {
  test('for their language, in each one offered, and talk in the one they choose', async () => {
    const number = {
      ...NUMBER,
      dial: { ...NUMBER.dial, speaks: 'en-us', hears: 'en-us' },
      menu: { languages: LANGUAGES },
    } as const
    await using x = await exchange({ number })
    const caller = await x.dial()
    expect(caller.asking).toBe(true)
    const offered = () => ['en', 'es', 'fr'] as const
    const nothing = { fromMs: 0, toMs: 0 }
    const notice = (own: 'en' | 'es' | 'fr') => {
      const found = soundings(caller.heard(), noticeHz('choose-language', own), LOUD)
      return found.length > 0 ? longest(found) : nothing
    }
    await until(
      // The edges of one tone contain a little of the others.
      () => offered().every(own => notice(own).toMs - notice(own).fromMs > 100),
      10_000,
      'all languages offered',
    )
    expect(notice('en').fromMs).toBeLessThan(notice('es').fromMs)
    expect(notice('es').fromMs).toBeLessThan(notice('fr').fromMs)
    expect(x.twilio.calls).toHaveLength(1)
    caller.press('2')
    const callee = await x.callee.call(1)
    await noticeHeard(x, 'connected')
    expect(times(caller.heard(), noticeHz('connected', 'es'))).toBe(1)
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 1)
    expect(times(callee.heard(), translated(VOICE.caller, 'en-us'))).toBe(1)
    expect(caller.report().errors).toEqual([])
  })

  test('for a code: a wrong one is reported, the right one connects them to the others', async () => {
    await using x = await exchange({
      numbers: { [DOOR]: { speaks: 'es-es', hears: 'es-es', roomCode: true } },
    })
    const { caller, callee } = await x.connected()
    const [room = ''] = x.app.relay.rooms.keys()
    const code = await x.app.roomCodes.issue(room, 60_000)
    const third = await x.twilio.subscriber('+15005550109').dial(DOOR)
    await until(() => times(third.heard(), noticeHz('enter-room-code', 'es')) > 0, 10_000, 'the question')
    third.press(`${code === '000000' ? '000001' : '000000'}#`)
    await until(() => times(third.heard(), noticeHz('wrong-room-code', 'es')) > 0, 10_000, 'the answer')
    third.press(`${code}#`)
    await until(() => x.app.relay.legs === 3, 10_000, 'the third one in')
    expect(x.app.relay.rooms.size).toBe(1)
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, 2)
    // Both Spanish speakers hear the one translation, and each other unchanged.
    for (const phone of [callee, third])
      expect(times(phone.heard(), translated(VOICE.caller, 'es-es'))).toBe(1)
    await say(third, VOICE.third, 800)
    await translationsHeard(x, 3)
    expect(Math.abs(longest(soundings(callee.heard(), VOICE.third, FAINT)).db - SAID_DB)).toBeLessThan(
      NEAR_DB,
    )
    expect(times(caller.heard(), translated(VOICE.third, 'en-us'))).toBe(1)
    // With a third participant, the call continues when one of the two leaves.
    await callee.hangUp()
    await until(() => x.app.relay.legs === 2, 5_000, 'one less')
    expect([caller.live, third.live]).toEqual([true, true])
  })

  test('a limited number of times: callers without a code are hung up', async () => {
    await using x = await exchange({
      numbers: { [DOOR]: { roomCode: true, speaks: 'en-us', hears: 'en-us' } },
    })
    const guesser = await x.twilio.subscriber(CALLER).dial(DOOR)
    await until(
      () => {
        if (guesser.asking) guesser.press('#')
        return !guesser.live
      },
      10_000,
      'that they are let go',
    )
    expect(await guesser.ended).toMatchObject({ kind: 'completed', reason: '<Hangup>' })
    expect(times(guesser.heard(), noticeHz('goodbye', 'en'))).toBe(1)
    expect(x.app.relay.legs).toBe(0)
  })
})

test('*9 and a digit change the language during a call, and the original continues', {
  timeout: 40_000,
}, async () => {
  await using x = await exchange({ config: { attendant: { languages: LANGUAGES } } })
  const { caller, callee } = await x.connected()
  await say(caller, VOICE.caller, 800)
  await translationsHeard(x, 1)
  const stalls = monitorEventLoopDelay({ resolution: 5 })
  stalls.enable()
  const saying = say(caller, VOICE.third, 2_500)
  await until(() => soundings(callee.heard(), VOICE.third, FAINT).length > 0, 5_000, 'the original')
  callee.press('*93')
  await noticeHeard(x, 'language-changed')
  await saying
  // Speech before the change in its former language, the rest in the new one.
  await translationsHeard(x, 3)
  const heard = callee.heard()
  expect(times(heard, noticeHz('language-changed', 'fr'))).toBe(1)
  for (const language of ['es-es', 'fr-fr'])
    expect(times(heard, translated(VOICE.third, language)), language).toBe(1)
  // One stretch from the first word to the last, at any level: a notice plays over it. Stalls are this machine’s own.
  stalls.disable()
  const bridgeMs = 200 + stalls.max / 1e6
  const original = soundings(heard, VOICE.third, { floorDb: -45, bridgeMs })
  expect(longest(original).toMs - longest(original).fromMs).toBeGreaterThan(2_000)
})
