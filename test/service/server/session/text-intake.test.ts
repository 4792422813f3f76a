import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { boundSettings, type ServiceLimits } from '../../../../src/service/server/limits.ts'
import type { Channel } from '../../../../src/service/server/session/session.ts'
import { Session } from '../../../../src/service/server/session/session.ts'
import {
  TextIntake,
  type TextWork,
  type TypedText,
} from '../../../../src/service/server/session/text-intake.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'

/** A client that reads only on request. */
class FakeChannel implements Channel {
  readonly events: string[] = []
  unreadBytes = 0
  ended = false
  #drained: (() => void)[] = []

  emit(event: string, payload: unknown): void {
    const { error } = payload as { error?: string }
    this.events.push(error ?? event)
  }

  drained(): Promise<void> {
    return new Promise(resolve => this.#drained.push(resolve))
  }

  read(): void {
    this.unreadBytes = 0
    for (const wake of this.#drained.splice(0)) wake()
  }

  end(): void {
    this.ended = true
  }
}

function texts(work: Partial<TextWork> = {}, limits: Partial<ServiceLimits> = {}) {
  const channel = new FakeChannel()
  const done: string[] = []
  const settings = boundSettings(serviceSettings({ apiKeys: ['k'] }), limits)
  const session = new Session({
    channel,
    parameters: {},
    intake: outlet =>
      new TextIntake(
        outlet,
        {
          open: async () => true,
          async work({ id, text }: TypedText) {
            done.push(`${id} ${text}`)
          },
          close() {},
          ...work,
        },
        settings,
        { takeText: () => {} },
      ),
    idleTimeoutMs: 60_000,
    settings,
    clock: new FakeClock(),
    log: noopLogger,
  })
  return { channel, session, done }
}

const soon = () => new Promise(resolve => setImmediate(resolve))

test('a text before start is rejected and never processed', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { channel, session, done } = texts({ open: () => promise })
  const opening = session.open()
  expect(session.take('early')).toBe(false)
  expect(channel.events).toEqual(['connected', 'before_start'])
  resolve(true)
  await opening
  expect(channel.events.at(-1)).toBe('start')
  expect(session.take('in time')).toBe(true)
  await soon()
  expect(done).toEqual(['1 in time'])
})

test('texts wait for a slow client, and are dropped when it disconnects', async () => {
  const { channel, session, done } = texts({})
  await session.open()
  channel.unreadBytes = 1_000_000
  for (const text of ['one', 'two', 'three']) expect(session.take(text)).toBe(true)
  await soon()
  expect(done).toEqual(['1 one'])
  channel.read()
  await soon()
  expect(done).toEqual(['1 one', '2 two', '3 three'])
  channel.unreadBytes = 1_000_000
  session.take('four')
  session.take('five')
  await soon()
  await session.close('gone')
  channel.read()
  await soon()
  expect(done.at(-1)).toBe('4 four')
  expect(session.take('six')).toBe(false)
})

test('an internal error ends the session and is reported as such', async () => {
  const { channel, session } = texts({
    async work() {
      throw new Error('a fault of ours')
    },
  })
  await session.open()
  session.take('one')
  await soon()
  expect(channel.events.at(-1)).toBe('unexpected')
  expect(channel.ended).toBe(true)
})

test('reports an output that cannot be opened', async () => {
  const { channel, session } = texts({ open: () => Promise.reject(new Error('no encoder')) })
  await session.open()
  expect(channel.events).toEqual(['connected', 'unexpected'])
  expect(channel.ended).toBe(true)
})

test('many consecutive bad texts end the session; a valid one resets the count', async () => {
  const { channel, session } = texts({}, { maxBadFragments: 3 })
  await session.open()
  for (const text of ['', 5, 'good', '', 5]) session.take(text)
  expect(channel.ended).toBe(false)
  session.take('')
  expect(channel.events.at(-1)).toBe('too_many_bad_fragments')
  expect(channel.ended).toBe(true)
})

test.each([
  ['x'.repeat(10), true],
  ['x'.repeat(11), false],
  ['👍'.repeat(5), true],
  ['👍'.repeat(6), false],
])('the length of %s is counted like the client counts it', async (text, taken) => {
  const { session } = texts({}, { maxTextLength: 10 })
  await session.open()
  expect(session.take(text)).toBe(taken)
})
