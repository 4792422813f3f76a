import { expect, test } from 'vitest'
import { CaptionHub } from '../../../src/web/captions/caption-hub.ts'
import type { EventSink } from '../../../src/web/event-stream.ts'
import { roomTalk } from '../../support/web/scripted-captions.ts'

/** A reader that accepts all writes, or none. */
class Paper implements EventSink {
  text = ''
  unread = 0
  state: 'open' | 'ended' | 'destroyed' = 'open'

  write(text: string): void {
    this.text += text
  }

  end(): void {
    this.state = 'ended'
  }

  destroy(): void {
    this.state = 'destroyed'
  }

  /** Names and texts of the events so far. */
  get events(): string[] {
    return Array.from(this.text.matchAll(/^event: (\w+)\ndata: (.*)$/gm), ([, name, data = '']) => {
      const { text, unavailable } = JSON.parse(data)
      return [name, text ?? unavailable].filter(each => each !== undefined).join(' ')
    })
  }

  get lastId(): string {
    return Array.from(this.text.matchAll(/^id: (.*)$/gm)).at(-1)?.[1] ?? ''
  }
}

function desk() {
  const talk = roomTalk()
  const hub = new CaptionHub(talk.feed, talk.clock)
  hub.start()
  return { ...talk, desk: hub }
}

test('sends a reader past and current captions until the room ends', () => {
  const { desk: it, open, close, caption, outage } = desk()
  open()
  caption('u1', 'one')
  const paper = new Paper()
  it.read('desk', paper)
  expect(paper.text).toMatch(/^retry: 2000\n\n/)
  caption('u2', 'tw', { final: false })
  caption('u2', 'two')
  outage(true)
  close()
  expect(paper.events).toEqual(['caption one', 'caption tw', 'caption two', 'service true', 'end'])
  expect(paper.state).toBe('ended')
  expect(it.readers).toBe(0)
})

test('resumes after the last received ID, and from the start in a new life of the room', () => {
  const { desk: it, open, close, caption } = desk()
  open()
  caption('u1', 'one')
  const first = new Paper()
  it.read('desk', first)?.[Symbol.dispose]()
  caption('u2', 'two')
  const second = new Paper()
  it.read('desk', second, {}, first.lastId)
  expect(first.events).toEqual(['caption one'])
  expect(second.events).toEqual(['caption two'])
  close()
  open()
  caption('u3', 'three')
  const third = new Paper()
  it.read('desk', third, {}, second.lastId)
  expect(third.events).toEqual(['caption three'])
})

test.each(['', 'x', 'x.1', '.', '.1e400', 'x.NaN', '9999999999999999999999'])(
  'an invalid ID %j replays everything',
  id => {
    const { desk: it, open, caption } = desk()
    open()
    caption('u1', 'one')
    const paper = new Paper()
    it.read('desk', paper, {}, id)
    expect(paper.events).toEqual(['caption one'])
  },
)

test('notifies a reader that missed more events than are kept', () => {
  const { desk: it, open, caption } = desk()
  open()
  const paper = new Paper()
  it.read('desk', paper)
  caption('u0', 'first')
  const seen = paper.lastId
  for (let n = 1; n <= 501; n++) caption(`u${n}`, `${n}`)
  const back = new Paper()
  it.read('desk', back, {}, seen)
  expect(back.events[0]).toBe('missed')
  expect(back.events).toHaveLength(501)
  expect(back.events[1]).toBe('caption 2')
})

test('keeps the stream of an empty room open', () => {
  const { desk: it, open, caption } = desk()
  const paper = new Paper()
  it.read('desk', paper)
  open()
  caption('u1', 'one')
  expect(paper.events).toEqual(['caption one'])
  const never = new Paper()
  it.read('planned', never)
  it.end('planned')
  expect(never.events).toEqual(['end'])
  expect(it.readers).toBe(1)
})

test('filters by language and finality, live and in the replay', () => {
  const { desk: it, open, caption, outage } = desk()
  open()
  caption('u1', 'one')
  caption('u2', 'eins', { to: 'de-de' })
  const german = new Paper()
  it.read('desk', german, { to: 'de-de' })
  const done = new Paper()
  it.read('desk', done, { final: true })
  caption('u3', 'zw', { to: 'de-de', final: false })
  outage(true)
  expect(german.events).toEqual(['caption eins', 'caption zw'])
  expect(done.events).toEqual(['caption one', 'caption eins', 'service true'])
})

test('disconnects a reader that stops reading, without delaying the others', () => {
  const { desk: it, open, caption, clock } = desk()
  open()
  const [slow, still, good] = [new Paper(), new Paper(), new Paper()]
  for (const paper of [slow, good]) it.read('desk', paper)
  slow.unread = 65_537
  caption('u1', 'one')
  expect(slow.state).toBe('destroyed')
  expect(slow.events).toEqual([])
  expect(good.events).toEqual(['caption one'])
  it.read('desk', still)
  still.unread = 65_537
  clock.advance(15_000)
  expect(still.state).toBe('destroyed')
  expect(it.readers).toBe(1)
})

test('sends a keep-alive every 15 s during silence, only while there are readers', () => {
  const { desk: it, open, clock } = desk()
  open()
  const paper = new Paper()
  const reading = it.read('desk', paper)
  clock.advance(45_000)
  expect(paper.text.match(/^: $/gm)).toHaveLength(3)
  reading?.[Symbol.dispose]()
  reading?.[Symbol.dispose]()
  expect(clock.pending).toBe(0)
})

test('limits the number of readers', () => {
  const { desk: it } = desk()
  const reading = Array.from({ length: 1_000 }, (_, n) => it.read(`r${n % 10}`, new Paper()))
  expect(it.read('desk', new Paper())).toBeUndefined()
  for (const each of reading) each?.[Symbol.dispose]()
  expect(it.readers).toBe(0)
  expect(it.read('desk', new Paper())).toBeDefined()
  it[Symbol.dispose]()
})

test('forgets captions on request', () => {
  const { desk: it, open, caption } = desk()
  open()
  caption('u1', 'secret')
  it.forget('desk')
  const paper = new Paper()
  it.read('desk', paper)
  expect(paper.events).toEqual([])
})
