import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import type { Caption } from '../../../src/core/model/caption.ts'
import { Observer } from '../../../src/core/model/events.ts'
import { CaptionFeed } from '../../../src/web/captions/caption-feed.ts'

/** 2026-11-20T10:00:00Z, when the clock shows 1,000 ms. */
export const NOON = Date.UTC(2026, 10, 20, 10) - 1_000

/** Rooms with scripted captions, without a relay. */
export function roomTalk() {
  const clock = new FakeClock(1_000)
  const wall = () => NOON + clock.now()
  const failures: unknown[] = []
  const observer = new Observer({ onListenerError: error => failures.push(error) })
  const feed = new CaptionFeed(observer, clock, wall)
  feed.start()
  const open = (room = 'desk') => observer.emit('room', { room, state: 'opened' })
  const close = (room = 'desk') => observer.emit('room', { room, state: 'closed' })
  const caption = (utterance: string, text: string, more: Partial<Caption> = {}) =>
    observer.emit('caption', {
      room: 'desk',
      speaker: 'anna-1',
      name: 'Anna',
      utterance,
      from: 'en-us',
      to: 'es-es',
      final: true,
      text,
      translation: `es ${text}`,
      ...more,
    })
  /** Anna speaks untranslated for `participant`, or no longer. */
  const outage = (missed: boolean, listener = 'bob-2') =>
    observer.emit('reception', {
      ...{ room: 'desk', speaker: 'anna-1', listener, to: 'es-es', missed, missedMs: 0 },
      ...(missed ? { gets: 'unavailable', why: 'no-place' } : { gets: 'translated' }),
    })
  return { clock, wall, observer, feed, failures, open, close, caption, outage }
}
