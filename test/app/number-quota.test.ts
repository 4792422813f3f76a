import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { placeCall } from '../../simulator/twilio/phone/call.ts'
import { buildApp } from '../../src/app/app.ts'
import { NumberQuota } from '../../src/bridges/phone/call-policy.ts'
import type { IncomingCall, Rejection } from '../../src/bridges/phone/index.ts'
import type { NumberSettings } from '../../src/bridges/phone/number-settings.ts'

const DESK = '+15005550001'
const SHOP = '+15005550002'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

function limited(settings: NumberSettings) {
  const clock = new FakeClock()
  const there = new Set<string>()
  const limits = new NumberQuota({
    numbers: { [DESK]: settings, [SHOP]: {} },
    isInProgress: callId => there.has(callId),
    language: 'en-us',
    clock,
    // 10:00 on an arbitrary day.
    wallClock: () => 20_000 * 24 * HOUR_MS + 10 * HOUR_MS + clock.now(),
  })
  const invite = limits.within(({ answers }) =>
    answers.language === 'asked'
      ? { ask: 'language', languages: ['en-us', 'es-es'] }
      : { room: 'r', hears: 'es-es' },
  )
  const call = (callId: string, { to = DESK, query = {}, answers = {} } = {}) => {
    const told = invite({ callId, to, query, answers } as unknown as IncomingCall)
    if ('refused' in told) return told
    if (!('ask' in told)) there.add(callId)
    return 'admitted'
  }
  return { clock, limits, call, over: (callId: string) => there.delete(callId) }
}

describe('calls to one number', () => {
  test('above the concurrency limit are rejected as busy, in the language they hear', () => {
    const { limits, call, over, clock } = limited({ maxCalls: 2 })
    expect([call('1'), call('2')]).toEqual(['admitted', 'admitted'])
    const refused = call('3') as Rejection
    expect(refused).toMatchObject({ refused: 'busy', notice: { language: 'es-ES' } })
    // Another number has its own limit; existing calls and calls resumed from another server continue.
    expect([call('4', { to: SHOP }), call('1'), call('5', { query: { 'dragoman-resumes': '1' } })]).toEqual([
      'admitted',
      'admitted',
      'admitted',
    ])
    over('1')
    over('5')
    clock.advance(1_000)
    expect([call('6'), (call('7') as Rejection).refused]).toEqual(['admitted', 'busy'])
    expect(limits.rejected).toEqual({ calls: 2, minutes: 0 })
  })

  test('are rejected once the daily minutes are used, while existing calls continue', () => {
    const { limits, call, over, clock } = limited({ maxMinutesPerDay: 10 })
    call('1')
    clock.advance(4 * MINUTE_MS + 1)
    call('2')
    clock.advance(2 * MINUTE_MS)
    over('1')
    clock.advance(1_000)
    expect(limits.minutesOf(DESK)).toBe(7 + 3)
    expect(call('3')).toMatchObject({ refused: 'busy' })
    expect(call('2')).toBe('admitted')
    over('2')
    clock.advance(1_000)
    expect(call('3')).toMatchObject({ refused: 'busy' })
    expect(limits.rejected).toEqual({ calls: 0, minutes: 2 })
    clock.advance(14 * HOUR_MS)
    expect([limits.minutesOf(DESK), call('3')]).toEqual([0, 'admitted'])
  })

  test('are counted on admission, not while the caller chooses a language', () => {
    const { call } = limited({ maxCalls: 1 })
    const asked = { answers: { language: 'asked' } }
    expect([call('1', asked), call('2', asked), call('1')]).toEqual(['admitted', 'admitted', 'admitted'])
    expect(call('2')).toMatchObject({ refused: 'busy' })
    expect(call('3', asked)).toMatchObject({ refused: 'busy' })
  })

  test('are not counted without a limit', () => {
    const { clock, limits, call } = limited({})
    for (let n = 0; n < 100; n++) expect(call(`${n}`)).toBe('admitted')
    expect([limits.minutesOf(DESK), clock.pending]).toEqual([0, 0])
  })

  test('play a notice to the second caller', async () => {
    const clock = new FakeClock()
    await using app = await buildApp(
      {
        host: '127.0.0.1',
        port: 0,
        service: { url: 'http://127.0.0.1:9', apiKey: 'of nobody' },
        languages: { speaks: 'en-us', hears: 'en-us' },
        limits: { maxEventLoopLagMs: 60_000 },
        twilio: { authToken: [], insecure: true, numbers: { [DESK]: { maxCalls: 1 } } },
      },
      { clock },
    )
    const webhook = `${await app.listen()}/twilio/voice`
    await using first = await placeCall({ webhook, to: DESK, allowInsecureStream: true })
    // Long after its admission.
    clock.advance(1_200)
    await using second = await placeCall({ webhook, to: DESK, allowInsecureStream: true })
    await second.ended
    expect(second.report().said).toEqual([expect.stringMatching(/lines/i)])
    expect([first.live, app.numberLimits.rejected.calls]).toEqual([true, 1])
  })
})
