import { describe, expect, test } from 'vitest'
import {
  FAINT,
  LOUD,
  levelBetween,
  longest,
  NEAR_DB,
  SAID_DB,
  soundings,
  times,
} from '../../support/e2e/phone-listener.ts'
import {
  exchange,
  noticeHeard,
  noticeHz,
  say,
  translated,
  translationsHeard,
  VOICE,
} from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const IN_SPANISH = translated(VOICE.caller, 'es-es')
/** Until then the bridge knows that the whole service is away, not only the translation of one speaker. */
const KNOWN_MS = 1_000

describe.concurrent('the translation service', { timeout: 60_000 }, () => {
  test('is unavailable: everyone hears originals and a notice, and translations after its recovery', async () => {
    await using x = await exchange({
      config: { attendant: { outageNoticeAfterMs: KNOWN_MS, recoveryNoticeAfterMs: 0 } },
    })
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

    await x.service.start()
    await noticeHeard(x, 'service-back', 2)
    const before = times(callee.heard(), IN_SPANISH)
    const heard = x.events.utterance.filter(({ stage }) => stage === 'heard').length
    await say(caller, VOICE.caller, 800)
    await translationsHeard(x, heard + 1)
    await until(() => times(callee.heard(), IN_SPANISH) > before, 10_000, 'the translation')
    for (const phone of [caller, callee]) expect(phone.report().warnings).toEqual([])
  })

  test('drops a connection during a sentence: the sentence is still translated, once', async () => {
    await using x = await exchange()
    const { caller, callee } = await x.connected()
    const saying = say(caller, VOICE.caller, 2_000)
    await until(() => soundings(callee.heard(), VOICE.caller, FAINT).length > 0, 5_000, 'the original')
    x.service.dropAll()
    await saying
    await translationsHeard(x, 1)
    const translations = soundings(callee.heard(), IN_SPANISH, LOUD)
    expect(translations).toHaveLength(1)
    // All of it, including speech before the connection was lost.
    expect((translations[0]?.toMs ?? 0) - (translations[0]?.fromMs ?? 0)).toBeGreaterThan(1_600)
    expect(x.app.relay.metrics.lostMs).toBe(0)
  })

  test('is 10 s slow: the original at once, every translation 10 s later, in order, none lost', async () => {
    await using x = await exchange({ service: { faults: { answerAfterMs: 10_000 } } })
    const { caller, callee } = await x.connected()
    const first = await say(caller, VOICE.caller, 800)
    // The other direction is not delayed.
    const reply = await say(callee, VOICE.callee, 800)
    const second = await say(caller, VOICE.third, 800)
    await translationsHeard(x, 3, 30_000)
    const heard = callee.heard()
    const at = (ms: number) => ms - callee.startedAt
    const [one] = soundings(heard, IN_SPANISH, LOUD)
    const [two] = soundings(heard, translated(VOICE.third, 'es-es'), LOUD)
    for (const [translation, said] of [
      [one, first],
      [two, second],
    ] as const) {
      const lateMs = (translation?.fromMs ?? 0) - at(said.endedAt)
      expect(lateMs).toBeGreaterThan(9_500)
      expect(lateMs).toBeLessThan(16_000)
    }
    expect(two?.fromMs).toBeGreaterThan(one?.toMs ?? 0)
    expect(times(caller.heard(), translated(VOICE.callee, 'en-us'))).toBe(1)
    expect(reply.complete).toBe(true)
    // The original was played at once, softly: the service is slow, not unavailable.
    const original = longest(soundings(heard, VOICE.caller, FAINT))
    expect(original.fromMs).toBeLessThan(at(first.endedAt))
    expect(Math.abs(original.db - (SAID_DB - 9))).toBeLessThan(NEAR_DB)
    expect(x.events.outage).toEqual([])
    expect(x.events.utterance.filter(({ stage }) => stage === 'dropped')).toEqual([])
  })

  test('never responds: people still hear each other, softly at first, and never in silence', async () => {
    await using x = await exchange({ service: { faults: { mangle: () => undefined } } })
    const { caller, callee } = await x.connected()
    await say(caller, VOICE.caller, 1_000)
    await callee.quietFor(300)
    const original = longest(soundings(callee.heard(), VOICE.caller, FAINT))
    expect(original.db).toBeGreaterThan(SAID_DB - 9 - NEAR_DB)
    expect(levelBetween(callee.heard(), IN_SPANISH, original.fromMs, original.toMs)).toBeLessThan(-30)
  })

  test('is unavailable from the start: the call is connected, and both hear a notice', async () => {
    await using x = await exchange({ config: { attendant: { outageNoticeAfterMs: KNOWN_MS } } })
    await x.service.stop()
    const { caller, callee } = await x.connected()
    await Promise.all([say(caller, VOICE.third, 800), say(callee, VOICE.callee, 800)])
    await noticeHeard(x, 'service-unavailable', 2)
    await say(caller, VOICE.caller, 1_000)
    await callee.quietFor(500)
    const original = longest(soundings(callee.heard(), VOICE.caller, FAINT))
    expect(Math.abs(original.db - SAID_DB)).toBeLessThan(NEAR_DB)
  })
})
