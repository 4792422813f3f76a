import { expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { EVENT_WORDS } from '../../../src/web/dashboard/event-words.ts'

const R = { room: 'r' }
const P = { room: 'r', participant: 'anna' }
const failed = { kind: 'failed', error: new BridgeError('LEG_LOST', 'it broke') } as const

test('reports that a key was pressed, but not which', () => {
  const told = EVENT_WORDS.dtmf({ ...P, digit: '7' })
  expect(told).toMatchObject({ who: 'anna', text: 'pressed a key' })
  expect(JSON.stringify(told)).not.toContain('7')
})

test('marks problems', () => {
  expect(EVENT_WORDS.disconnected({ ...P, reason: failed, reconnectWindowMs: 10_000 })).toMatchObject({
    bad: true,
    text: 'disconnected (failed LEG_LOST: it broke), can reconnect for 10.0 s',
  })
  expect(EVENT_WORDS.left({ ...P, channel: 'c', frames: 1, reason: failed })?.bad).toBe(true)
  expect(
    EVENT_WORDS.left({ ...P, channel: 'c', frames: 1, reason: { kind: 'hangup', by: 'remote' } }),
  ).toMatchObject({ bad: false, text: 'left: hung up' })
  expect(EVENT_WORDS.service({ upstream: 0, status: 'open' })).toMatchObject({ bad: true, room: null })
  expect(EVENT_WORDS.service({ upstream: 1, status: 'closed' })).toMatchObject({ bad: false })
  const reception = {
    ...R,
    speaker: 'bob',
    listener: 'anna',
    to: 'es-es',
    missed: false,
    missedMs: 0,
  } as const
  const lack = { ...reception, gets: 'unavailable', why: 'no-place' } as const
  expect(EVENT_WORDS.reception({ ...lack, missed: true })).toMatchObject({
    bad: true,
    text: 'lacks a translation into Spanish (Spain), hears original: all sessions of the service are in use',
  })
  // Nobody misses what was not said.
  expect(EVENT_WORDS.reception(lack)).toBeUndefined()
  expect(EVENT_WORDS.reception({ ...reception, gets: 'translated', missedMs: 2_500 })?.text).toContain(
    '2.5 s',
  )
})

test('reports a session only when it is live', () => {
  const session = { ...R, speaker: 'anna', to: 'es-es' }
  expect(EVENT_WORDS.session({ ...session, status: 'opening', attempt: 1 })).toBeUndefined()
  expect(EVENT_WORDS.session({ ...session, status: 'live', attempt: 1 })?.text).toBe(
    'translation into Spanish (Spain): live',
  )
  expect(EVENT_WORDS.session({ ...session, status: 'waiting', attempt: 3 })).toMatchObject({
    bad: true,
    text: 'translation into Spanish (Spain): lost, attempt 3',
  })
  const error = new BridgeError('SERVICE_REFUSED', 'the service reports bad_parameter/pair_not_offered')
  const reason = { kind: 'failed', error } as const
  expect(EVENT_WORDS.session({ ...session, status: 'ended', attempt: 0, reason })).toMatchObject({
    bad: true,
    text: `translation into Spanish (Spain): ended (failed SERVICE_REFUSED: ${error.message})`,
  })
})

test('reports only utterances that were dropped', () => {
  const utterance = { ...R, speaker: 'anna', listener: 'bob', utterance: 'u', audioMs: 5 }
  expect(EVENT_WORDS.utterance({ ...utterance, stage: 'begun' })).toBeUndefined()
  expect(EVENT_WORDS.utterance({ ...utterance, stage: 'heard' })).toBeUndefined()
  expect(EVENT_WORDS.utterance({ ...utterance, stage: 'dropped' })).toMatchObject({ who: 'bob', bad: true })
})

test('describes the other events', () => {
  expect(EVENT_WORDS.room({ ...R, state: 'opened' })?.text).toBe('opened')
  expect(EVENT_WORDS.admitted({ ...P, channel: 'twilio', hears: 'es-es' })?.text).toBe(
    'joined by phone, only listens, hears Spanish (Spain)',
  )
  expect(EVENT_WORDS.reconnected({ ...P, absentMs: 1_500 })?.text).toBe('reconnected after 1.5 s')
  expect(EVENT_WORDS.notice({ ...P, notice: 'service-unavailable', stage: 'begun' })?.text).toContain(
    'service-unavailable',
  )
  expect(EVENT_WORDS.notice({ ...P, notice: 'service-unavailable', stage: 'heard' })).toBeUndefined()
  expect(EVENT_WORDS.command({ ...P, action: 'mute' })?.text).toContain('mute')
  expect(EVENT_WORDS.recording({ ...R, recording: 'x', state: 'paused' })?.text).toBe('recording: paused')
  expect(EVENT_WORDS.dial({ ...R, call: 'call-1', outcome: 'busy', code: 'DIAL_REFUSED' })?.text).toBe(
    'call-1: busy (DIAL_REFUSED)',
  )
})
