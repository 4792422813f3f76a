import { expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { noticeHz } from '../../support/relay/fake-announcer.ts'
import { until } from '../../support/until.ts'
import { controlled } from '../../support/web/control-harness.ts'

const TO = '+15551230001'

async function room(plan: object = {}) {
  const it = await controlled()
  await it.ask('POST', '/rooms', { name: 'desk', ...plan })
  return it
}

test('a call into a room is answered and hung up', async () => {
  const { ask, dialer } = await room()
  const placed = await ask('POST', '/rooms/desk/calls', {
    to: TO,
    from: '+15559990000',
    speaks: 'es-es',
    hears: 'es-es',
    original: 'low',
    name: 'Bob',
    ringSeconds: 20,
    limitSeconds: 600,
  })
  expect(placed).toMatchObject({ status: 202, body: { id: 'call-1', room: 'desk', state: 'calling' } })
  expect(dialer.calls[0]?.request).toEqual({
    to: TO,
    from: '+15559990000',
    by: 'desk',
    invitation: { room: 'desk', speaks: 'es-es', hears: 'es-es', original: 'low', name: 'Bob', echo: false },
    ringSeconds: 20,
    limitSeconds: 600,
  })
  dialer.calls[0]?.settle({ kind: 'answered', participant: 'twilio-7' })
  const answered = await until(
    () => ask('GET', '/calls/call-1').then(({ body }) => body) as never,
    1_000,
    'an answer',
  )
  expect(await answered).toEqual({
    id: 'call-1',
    room: 'desk',
    placedAt: '2026-11-20T10:00:00.000Z',
    state: 'answered',
    participant: 'twilio-7',
  })
  dialer.calls[0]?.end('hangup')
  await dialer.calls[0]?.over
  expect((await ask('GET', '/rooms/desk/calls')).body.calls).toEqual([
    expect.objectContaining({ id: 'call-1', state: 'ended', end: 'hangup' }),
  ])
})

test.each(['busy', 'no-answer', 'voicemail', 'failed'] as const)(
  'a call that ends as %s is reported with this result',
  async kind => {
    const { ask, dialer, log } = await room()
    const { body } = await ask('POST', '/rooms/desk/calls', { to: TO })
    const [call] = dialer.calls
    call?.settle(
      kind === 'failed' ? { kind, error: new BridgeError('DIAL_FAILED', `no way to ${TO}`) } : { kind },
    )
    call?.end(kind)
    await call?.over
    const ended = await ask('GET', `/calls/${body.id}`)
    expect(ended.body).toMatchObject({
      state: 'ended',
      end: kind,
      ...(kind === 'failed' ? { errorCode: 'DIAL_FAILED' } : {}),
    })
    expect(ended.text + JSON.stringify(log.all)).not.toContain('555123')
  },
)

test('a call can be canceled before it is answered, repeatedly', async () => {
  const { ask, dialer } = await room()
  await ask('POST', '/rooms/desk/calls', { to: TO })
  for (const _ of [1, 2])
    expect(await ask('DELETE', '/calls/call-1')).toMatchObject({
      status: 200,
      body: { state: 'ended', end: 'canceled' },
    })
  expect(dialer.calls[0]?.hangUps).toBe(2)
  for (const method of ['GET', 'DELETE'])
    expect((await ask(method, '/calls/none')).body).toMatchObject({ error: 'call_unknown' })
})

test('rejects numbers that are not allowed; responses contain no number', async () => {
  const { ask, dialer, log } = await room({ languages: ['en-us'], maxParticipants: 1 })
  const refused = async (body: object) => {
    const answer = await ask('POST', '/rooms/desk/calls', body)
    expect(answer.text).not.toMatch(/\d{5}/)
    return [answer.status, answer.body.error]
  }
  expect(await refused({ to: '+19005550000' })).toEqual([403, 'dial_refused'])
  for (const to of [
    '5551230001',
    '+1555',
    'tel:+15551230001',
    '+15551230001;ext=9',
    '＋15551230001',
    '+1 555 123 0001',
    'sip:',
    7,
  ])
    expect(await refused({ to }), String(to)).toEqual([400, 'value_not_allowed'])
  expect(await refused({ to: TO, speaks: 'de-de' })).toEqual([422, 'language_not_allowed'])
  expect(dialer.calls).toHaveLength(0)
  expect(await refused({ to: TO, ringSeconds: 1 })).toEqual([400, 'value_not_allowed'])
  expect((await ask('POST', '/rooms/none/calls', { to: TO })).body.error).toBe('room_unknown')
  // One call is in progress: the room is full.
  expect((await ask('POST', '/rooms/desk/calls', { to: TO })).status).toBe(202)
  expect(await refused({ to: TO })).toEqual([409, 'room_full'])
  dialer.busy = true
  dialer.calls[0]?.settle({ kind: 'busy' })
  dialer.calls[0]?.end('busy')
  await dialer.calls[0]?.over
  expect(await refused({ to: TO })).toEqual([503, 'capacity'])
  expect(JSON.stringify(log.all)).not.toContain('555')
})

test('rejects calls if outbound calls are not configured', async () => {
  const { ask } = await controlled({ bare: true })
  await ask('POST', '/rooms', { name: 'desk' })
  expect(await ask('POST', '/rooms/desk/calls', { to: TO })).toMatchObject({
    status: 403,
    body: { code: 'forbidden', error: 'dial_refused', description: 'outbound calls are not configured' },
  })
})

test('announces the call to the callee in their language when they answer, unless this is disabled', async () => {
  const { ask, dialer, live, run, announcer } = await room()
  for (const announce of [undefined, false]) {
    const id = `bob-${announce}`
    await ask('POST', '/rooms/desk/calls', {
      to: TO,
      speaks: 'es-es',
      ...(announce === undefined ? {} : { announce }),
    })
    const call = dialer.calls.at(-1)!
    const bob = live(id, call.request.invitation)
    await run(500)
    expect(peak(bob.lately(500))).toBe(0)
    call.settle({ kind: 'answered', participant: id })
    await run(600)
    const heard = loudness(bob.lately(600), noticeHz('incoming'), 16_000)
    if (announce === false) expect(heard).toBe(0)
    else expect(heard).toBeGreaterThan(2_000)
  }
  expect(announcer.asked).toEqual(['incoming es-es'])
})
