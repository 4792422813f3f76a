import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedEvent, RoomLife } from '../../../src/web/captions/caption-feed.ts'
import { roomTalk } from '../../support/web/scripted-captions.ts'

function listening() {
  const talk = roomTalk()
  const heard: { life: RoomLife; event: FeedEvent }[] = []
  talk.feed.on((life, event) => heard.push({ life, event }))
  const captions = () => heard.flatMap(({ event }) => (event.kind === 'caption' ? [event.caption] : []))
  return { ...talk, heard, captions, kinds: () => heard.map(({ event }) => event.kind) }
}

test('a caption has the room’s time and the time of day', () => {
  const { clock, open, caption, captions } = listening()
  open()
  clock.advance(5_000)
  caption('u1', 'hel', { final: false, spoken: { fromMs: 4_000, toMs: 5_900 } })
  clock.advance(1_000)
  caption('u1', 'hello', { spoken: { fromMs: 4_500, toMs: 6_800 } })
  expect(captions()).toMatchObject([
    { startMs: 3_000, endMs: 4_900, startedAt: '2026-11-20T10:00:03.000Z', final: false },
    // Its start time stays the same in later versions.
    { startMs: 3_000, endMs: 5_800, startedAt: '2026-11-20T10:00:03.000Z', final: true },
  ])
})

test('a caption without a time gets its time of arrival', () => {
  const { clock, open, caption, captions } = listening()
  open()
  clock.advance(700)
  caption('u1', 'hello')
  expect(captions()).toMatchObject([{ startMs: 700, endMs: 700 }])
})

test('utterances of one speaker do not overlap, and start neither before the room nor in the future', () => {
  const time = fc.integer({ min: -5_000, max: 60_000 })
  const said = fc.record({ wait: fc.nat(2_000), from: time, to: time, same: fc.boolean() })
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), sayings => {
      const { clock, open, caption, captions } = listening()
      open()
      let name = 0
      for (const { wait, from, to, same } of sayings) {
        clock.advance(wait)
        if (!same) name++
        caption(`u${name}`, 'x', { final: false, spoken: { fromMs: from, toMs: to } })
        const last = captions().at(-1)!
        const before = captions().findLast(({ utterance }) => utterance !== last.utterance)
        expect(last.startMs).toBeGreaterThanOrEqual(before?.endMs ?? 0)
        expect(last.endMs).toBeGreaterThanOrEqual(last.startMs)
        expect(last.endMs).toBeLessThanOrEqual(clock.now() - 1_000)
      }
    }),
    { seed: 7, numRuns: 200 },
  )
})

test('cuts endless texts without splitting surrogate pairs', () => {
  const { open, caption, captions } = listening()
  open()
  caption('u1', `${'x'.repeat(7_999)}😀`, { translation: 'a\ud800b' })
  const [{ text, translation } = {}] = captions()
  expect(text).toBe(`${'x'.repeat(7_999)}\ufffd`)
  expect(translation).toBe('a\ufffdb')
})

test('a reopened room is a new life, even while the first is still closing', () => {
  const { open, close, caption, heard, kinds, feed } = listening()
  open()
  caption('u1', 'one')
  open()
  caption('u2', 'two')
  close()
  caption('u3', 'three')
  expect(feed.life('desk')).toBeDefined()
  close()
  expect(feed.life('desk')).toBeUndefined()
  expect(kinds()).toEqual(['opened', 'caption', 'closed', 'opened', 'caption', 'caption', 'closed'])
  const lives = heard.map(({ life }) => life.id)
  expect(new Set(lives).size).toBe(2)
  expect(lives.slice(0, 3)).toEqual([lives[0], lives[0], lives[0]])
})

test('reports a speaker who is not translated once, whatever the number of listeners, and their recovery once', () => {
  const { open, outage, heard } = listening()
  open()
  outage(true)
  outage(true, 'carla-3')
  outage(false)
  outage(false, 'carla-3')
  outage(true)
  const away = heard.flatMap(({ event }) => (event.kind === 'service' ? [event.unavailable] : []))
  expect(away).toEqual([true, false, true])
})

test('reports a listener that throws, and continues', () => {
  const { feed, open, caption, captions, failures } = listening()
  feed.on(() => {
    throw new Error('mine')
  })
  const after: string[] = []
  feed.on((_, { kind }) => after.push(kind))
  open()
  caption('u1', 'one')
  expect(captions()).toHaveLength(1)
  expect(after).toEqual(['opened', 'caption'])
  expect(failures).toHaveLength(2)
})

test('closing ends every room once', () => {
  const { feed, open, kinds, caption } = listening()
  open()
  open('other')
  feed[Symbol.dispose]()
  feed[Symbol.dispose]()
  caption('u1', 'late')
  expect(kinds()).toEqual(['opened', 'opened', 'closed', 'closed'])
})
