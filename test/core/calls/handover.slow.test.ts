import { expect, test } from 'vitest'
import { buildApp } from '../../../src/app/app.ts'
import { hears, times } from '../../support/e2e/phone-listener.ts'
import {
  exchange,
  noticeHz,
  PUBLIC,
  say,
  translated,
  translationsHeard,
  VOICE,
} from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

test.concurrent('two participants continue on another server when theirs ends, each still in their own language', async () => {
  await using x = await exchange()
  const { caller, callee } = await x.connected()
  await say(caller, VOICE.caller, 1_000)
  await translationsHeard(x, 1)

  await using second = await buildApp(x.config)
  const heard = { caller: caller.heard().length, callee: callee.heard().length }
  const leaving = x.app.leave()
  x.app.drain.hurry()
  x.twilio.route(PUBLIC, await second.listen())
  await leaving
  await x.app.close()
  await until(() => second.relay.rooms.values().next().value?.participants.size === 2, 15_000, 'both there')
  expect(x.twilio.calls.map(({ status }) => status)).toEqual(['in-progress', 'in-progress'])

  // No one was called again, and no one hears unnecessary notices.
  const utterances: string[] = []
  second.relay.observer.on('utterance', ({ stage }) => void (stage === 'heard' && utterances.push(stage)))
  await say(callee, VOICE.callee, 1_000)
  await until(() => utterances.length === 1, 15_000, 'the translation')
  await say(caller, VOICE.third, 1_000)
  await until(() => utterances.length === 2, 15_000, 'the other translation')
  const [callerHeard, calleeHeard] = [
    caller.heard().subarray(heard.caller),
    callee.heard().subarray(heard.callee),
  ]
  expect(hears(callerHeard, translated(VOICE.callee, 'en-us'))).toBe(true)
  expect(hears(calleeHeard, translated(VOICE.third, 'es-es'))).toBe(true)
  for (const notice of ['connecting', 'connected', 'other-left'] as const)
    expect([notice, times(callerHeard, noticeHz(notice, 'en'))]).toEqual([notice, 0])
  expect(times(calleeHeard, noticeHz('incoming', 'es'))).toBe(0)

  await caller.hangUp()
  await callee.ended
  expect(times(callee.heard(), noticeHz('other-left', 'es'))).toBe(1)
  await until(() => x.twilio.calls.every(call => call.status === 'completed'), 5_000, 'both calls over')
  expect(x.twilio.calls).toHaveLength(2)
  expect([second.relay.rooms.size, second.switchboard.calls]).toEqual([0, 0])
}, 40_000)
