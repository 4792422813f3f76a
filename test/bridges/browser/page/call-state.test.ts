import { describe, expect, it } from 'vitest'
import { Activity, type CallFacts, callState } from '../../../../src/bridges/browser/page/call-state.ts'

const CALM: CallFacts = {
  line: 'open',
  sound: 'alive',
  microphone: true,
  muted: false,
  outage: false,
  playing: false,
  translating: false,
}

describe('the state of a call', () => {
  it.each([
    ['listening', {}],
    ['translating', { translating: true }],
    ['playing', { playing: true, translating: true }],
    ['original', { outage: true, playing: true }],
    ['muted', { muted: true, outage: true }],
    ['unheard', { microphone: false, muted: true }],
    ['paused', { sound: 'paused', microphone: false, muted: true }],
    ['dead', { sound: 'dead', playing: true }],
    ['reconnecting', { line: 'waiting', sound: 'dead' }],
    ['connecting', { line: 'connecting', muted: true }],
  ] as const)('is %s, the most urgent of what applies: %o', (state, facts) => {
    expect(callState({ ...CALM, ...facts })).toBe(state)
  })
})

const caption = { utterance: 'u.1', from: 'en-us', to: 'es-es' }

describe('the activity', () => {
  it('is translating from 300 ms after a text without its translation until that is final', () => {
    const activity = new Activity()
    activity.caption({ ...caption, final: false, text: 'good' }, 0)
    expect(activity.translating(1_000)).toBe(false)
    activity.caption({ ...caption, final: true, text: 'good morning' }, 1_000)
    expect([activity.translating(1_299), activity.translating(1_300)]).toEqual([false, true])
    activity.caption({ ...caption, final: true, text: 'good morning', translation: 'buenos días' }, 1_500)
    expect(activity.translating(1_500)).toBe(false)
  })

  it('does not wait indefinitely for a translation, and not at all for text in one’s own language', () => {
    const activity = new Activity()
    activity.caption({ ...caption, final: true, text: 'good morning' }, 0)
    expect(activity.translating(8_001)).toBe(false)
    activity.caption({ ...caption, to: 'en-us', utterance: 'u.2', final: true, text: 'hello' }, 9_000)
    expect(activity.translating(10_000)).toBe(false)
  })

  it('is playing through the pauses of speech', () => {
    const activity = new Activity()
    expect(activity.playing(0)).toBe(false)
    activity.level(0.2, 1_000)
    activity.level(0, 1_400)
    expect([activity.playing(1_500), activity.playing(1_600)]).toEqual([true, false])
  })
})
