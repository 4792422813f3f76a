import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { type Send, sendByHttp } from '../../../src/web/webhooks/event.ts'
import { RETRY_MS } from '../../../src/web/webhooks/receiver.ts'
import { webhookSettingsSchema } from '../../../src/web/webhooks/settings.ts'
import { WebhooksOut } from '../../../src/web/webhooks/webhooks.ts'
import { LogLines } from '../../support/log-lines.ts'
import { until } from '../../support/until.ts'
import { roomTalk } from '../../support/web/scripted-captions.ts'
import { Receiving } from '../../support/web/webhook-receiver.ts'

const SECRET = 'a secret of the receiver'
const WAIT_MS = 10_000

async function hooked(more: object = {}, { send = sendByHttp as Send } = {}) {
  const talk = roomTalk()
  const log = new LogLines()
  const receiving = await Receiving.open()
  onTestFinished(() => receiving[Symbol.asyncDispose]())
  const settings = webhookSettingsSchema.parse({ url: receiving.url, secret: SECRET, ...more })
  const hooks = new WebhooksOut([settings], { ...talk, log, send, random: () => 0.5 })
  hooks.start()
  onTestFinished(async () => {
    const closing = hooks[Symbol.asyncDispose]()
    talk.clock.advance(3_000)
    await closing
  })
  const arrived = (count: number) => until(() => receiving.got.length >= count, WAIT_MS, `${count} webhooks`)
  /** Waits until the receiver's response has arrived. */
  const settled = (look: (stats: (typeof hooks.stats)[number]) => boolean) =>
    until(() => look(hooks.stats[0]!), WAIT_MS, 'the answer')
  return { ...talk, log, receiving, hooks, arrived, settled }
}

/** One event of every type. */
function everything({ observer, open, close, caption }: ReturnType<typeof roomTalk>): void {
  open()
  observer.emit('admitted', {
    room: 'desk',
    participant: 'anna-1',
    channel: 'twilio',
    speaks: 'en-us',
    hears: 'en-us',
  })
  observer.emit('changed', {
    room: 'desk',
    participant: 'anna-1',
    state: { original: 'duck', muted: true, interpreting: true },
    changes: ['muted'],
  })
  caption('u1', 'hel', { final: false })
  caption('u1', 'hello')
  observer.emit('dtmf', { room: 'desk', participant: 'anna-1', digit: '5' })
  observer.emit('dial', { room: 'desk', call: 'call-1', outcome: 'failed', code: 'DIAL_FAILED' })
  observer.emit('recording', { room: 'desk', recording: 'rec-1', state: 'recording' })
  observer.emit('left', {
    room: 'desk',
    participant: 'anna-1',
    channel: 'twilio',
    reason: { kind: 'failed', error: new BridgeError('LEG_LOST', 'the socket broke') },
    frames: 500,
  })
  close()
}

test('delivers all events in order, numbered from 1, without texts', async () => {
  const it = await hooked()
  everything(it)
  await it.arrived(9)
  expect(it.receiving.got.map(({ event: { type, sequence, data } }) => [type, sequence, data])).toEqual([
    ['room.opened', 1, {}],
    ['participant.joined', 2, { participant: 'anna-1', channel: 'twilio', speaks: 'en-us', hears: 'en-us' }],
    [
      'participant.changed',
      3,
      {
        participant: 'anna-1',
        state: { original: 'duck', muted: true, interpreting: true },
        changes: ['muted'],
      },
    ],
    [
      'utterance.final',
      4,
      {
        speaker: 'anna-1',
        name: 'Anna',
        utterance: 'u1',
        from: 'en-us',
        to: 'es-es',
        startMs: 0,
        endMs: 0,
        startedAt: '2026-11-20T10:00:00.000Z',
      },
    ],
    ['dtmf', 5, { participant: 'anna-1', digit: '5' }],
    ['dial', 6, { call: 'call-1', outcome: 'failed', code: 'DIAL_FAILED' }],
    ['recording', 7, { recording: 'rec-1', state: 'recording' }],
    ['participant.left', 8, { participant: 'anna-1', channel: 'twilio', reason: 'failed', code: 'LEG_LOST' }],
    ['room.closed', 9, { durationMs: 0 }],
  ])
  for (const { event } of it.receiving.got)
    expect(event).toMatchObject({
      room: 'desk',
      at: '2026-11-20T10:00:00.000Z',
      life: (it.receiving.got[0]!.event as unknown as { life: string }).life,
      id: expect.stringMatching(/^evt_[\w-]{16}$/),
    })
  expect(it.receiving.got.map(({ body }) => body).join()).not.toContain('hello')
  expect(new Set(it.receiving.got.map(({ event: { id } }) => id)).size).toBe(9)
})

test('sends texts to receivers that are configured for them, and only the requested events', async () => {
  const it = await hooked({ includeTexts: true, events: ['utterance.final', 'room.closed'] })
  everything(it)
  await it.arrived(2)
  expect(it.receiving.order).toEqual(['desk utterance.final', 'desk room.closed'])
  expect(it.receiving.got[0]?.event).toMatchObject({
    sequence: 1,
    data: { text: 'hello', translation: 'es hello' },
  })
})

test('signs every attempt with its own time', async () => {
  const it = await hooked({ events: ['dtmf'] })
  it.receiving.answers = [500]
  it.observer.emit('dtmf', { room: 'desk', participant: 'a', digit: '#' })
  await it.settled(({ failures }) => failures === 1)
  it.clock.advance(1_000)
  await it.settled(({ delivered }) => delivered === 1)
  const [first, second] = it.receiving.got
  for (const [received, seconds] of [
    [first!, Date.UTC(2026, 10, 20, 10) / 1000],
    [second!, Date.UTC(2026, 10, 20, 10) / 1000 + 1],
  ] as const) {
    const mac = createHmac('sha256', SECRET).update(`${seconds}.${received.body}`).digest('hex')
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'dragoman-event': 'dtmf',
      'dragoman-delivery': received.event.id,
      'dragoman-signature': `t=${seconds},v1=${mac}`,
    })
  }
  expect(second?.body).toBe(first?.body)
})

test.each([
  ['a secret in its own form', `whsec_${Buffer.from('sixteen bytes at least').toString('base64')}`],
  ['any other secret', SECRET],
])('the library of Standard Webhooks verifies a delivery: %s', async (_what, secret) => {
  const it = await hooked({ events: ['dtmf'], secret })
  it.observer.emit('dtmf', { room: 'desk', participant: 'a', digit: '#' })
  await it.settled(({ delivered }) => delivered === 1)
  const [{ headers, body, event }] = it.receiving.got as [(typeof it.receiving.got)[number]]
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 10) })
  onTestFinished(() => void vi.useRealTimers())
  const encoded = secret.startsWith('whsec_') ? secret : `whsec_${Buffer.from(secret).toString('base64')}`
  const library = new Webhook(encoded)
  expect(library.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
  expect(headers['webhook-id']).toBe(event.id)
  expect(() => library.verify(`${body} `, headers as Record<string, string>)).toThrow()
})

test('retries a failing receiver with growing delays; its room waits in order, other rooms do not', async () => {
  const it = await hooked({ events: ['dtmf'] })
  const press = (room: string, digit: string) => it.observer.emit('dtmf', { room, participant: 'a', digit })
  it.receiving.answers = [503, 404]
  press('desk', '1')
  await it.settled(({ failures }) => failures === 1)
  press('desk', '2')
  it.clock.advance(1_000)
  await it.settled(({ failures }) => failures === 2)
  press('other', '3')
  await it.settled(({ delivered }) => delivered === 1)
  it.clock.advance(4_999)
  expect(it.receiving.got).toHaveLength(3)
  it.clock.advance(1)
  await it.settled(({ delivered }) => delivered === 3)
  expect(it.receiving.got.map(({ event: { room, data } }) => `${room} ${data.digit}`)).toEqual([
    'desk 1',
    'desk 1',
    'other 3',
    'desk 1',
    'desk 2',
  ])
  // Once at the first failure and once after recovery: not for every attempt, and without the address.
  expect(it.log.all.map(({ message }) => message)).toEqual([
    'webhook delivery failed',
    'webhook delivery recovered',
  ])
  expect(JSON.stringify(it.log.all)).not.toContain('127.0.0.1')
})

test('drops an event after the last attempt and continues with the next', async () => {
  const it = await hooked({ events: ['dtmf'] })
  it.receiving.answer = 500
  for (const digit of ['1', '2']) it.observer.emit('dtmf', { room: 'desk', participant: 'a', digit })
  for (const [failures, waitMs] of RETRY_MS.entries()) {
    await it.settled(stats => stats.failures === failures + 1)
    it.clock.advance(waitMs)
  }
  await it.settled(stats => stats.failures === 9)
  expect(it.hooks.stats).toEqual([
    { name: 'webhook 1', waiting: 1, delivered: 0, failures: 9, givenUp: 1, dropped: 0 },
  ])
  expect(it.receiving.got.at(-1)?.event.data.digit).toBe('2')
})

test('does not follow redirects', async () => {
  const it = await hooked({ events: ['room.opened'] })
  const other = await Receiving.open()
  onTestFinished(() => other[Symbol.asyncDispose]())
  it.receiving.answer = (_, response) => response.writeHead(307, { location: other.url }).end()
  it.open()
  await it.settled(({ failures }) => failures === 1)
  expect(other.got).toEqual([])
})

test('an attempt fails after 10 s without a response', async () => {
  const it = await hooked({ events: ['room.opened'] })
  it.receiving.answers = [() => {}]
  it.open()
  await it.arrived(1)
  it.clock.advance(9_999)
  expect(it.hooks.stats[0]?.failures).toBe(0)
  it.clock.advance(1)
  await it.settled(({ failures }) => failures === 1)
  it.clock.advance(1_000)
  await it.settled(({ delivered }) => delivered === 1)
  expect(it.log.all[0]?.fields).toMatchObject({ outcome: 'no response' })
})

test('an unavailable receiver affects nothing else, and receives the waiting events when it recovers', async () => {
  const it = await hooked({ events: ['room.opened'], url: 'http://127.0.0.1:4/' })
  it.open()
  await it.settled(({ failures }) => failures === 1)
  expect(it.log.all[0]?.fields).toMatchObject({
    webhook: 'webhook 1',
    outcome: expect.stringMatching(/ECONNREFUSED|no connection/),
  })
})

test('the queue is limited: the oldest events are dropped and counted, except those in progress', async () => {
  let answer: (status: number) => void = () => {}
  const sent: string[] = []
  const send: Send = ({ body }) => {
    sent.push(JSON.parse(body).data.digit)
    return new Promise(resolve => {
      answer = resolve
    })
  }
  const it = await hooked({ events: ['dtmf'] }, { send })
  for (let n = 0; n < 1_010; n++) it.observer.emit('dtmf', { room: 'desk', participant: 'a', digit: `${n}` })
  expect(it.hooks.stats).toEqual([
    { name: 'webhook 1', waiting: 1_000, delivered: 0, failures: 0, givenUp: 0, dropped: 10 },
  ])
  answer(200)
  await it.settled(({ delivered }) => delivered === 1)
  await until(() => sent.length === 2, WAIT_MS, 'the next')
  expect(sent).toEqual(['0', '11'])
  answer(200)
})

test('delivers for at most four rooms at a time, and all get their turn', async () => {
  let under = 0
  let most = 0
  const send: Send = async () => {
    most = Math.max(most, ++under)
    await new Promise(resolve => setImmediate(resolve))
    under--
    return 204
  }
  const it = await hooked({ events: ['dtmf'] }, { send })
  for (let n = 0; n < 60; n++) it.observer.emit('dtmf', { room: `r${n % 12}`, participant: 'a', digit: '1' })
  await it.settled(({ delivered }) => delivered === 60)
  expect(most).toBe(4)
  expect(it.clock.pending).toBe(0)
})

test('on shutdown, waiting events get one more attempt of at most 3 s', async () => {
  const it = await hooked({ events: ['dtmf'] })
  const press = (room: string) => it.observer.emit('dtmf', { room, participant: 'a', digit: '1' })
  it.receiving.answers = [500]
  press('waits')
  await it.settled(({ failures }) => failures === 1)
  press('waits')
  await it.hooks[Symbol.asyncDispose]()
  expect(it.hooks.stats[0]).toMatchObject({ delivered: 2, waiting: 0 })
  press('late')
  expect(it.hooks.stats[0]?.waiting).toBe(0)

  const other = await hooked({ events: ['room.opened'] })
  other.receiving.answer = () => {}
  other.open()
  await other.arrived(1)
  const closing = other.hooks[Symbol.asyncDispose]()
  other.clock.advance(3_000)
  await closing
  expect(other.hooks.stats[0]?.delivered).toBe(0)
})
