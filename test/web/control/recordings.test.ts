import { expect, test } from 'vitest'
import { controlled } from '../../support/web/control-harness.ts'

test('a recording is started, paused, resumed and ended', async () => {
  const { ask, join } = await controlled()
  join('anna')
  const path = '/rooms/r/recording'
  expect((await ask('GET', path)).body.error).toBe('recording_unknown')
  expect((await ask('PATCH', path, { paused: true })).body.error).toBe('recording_unknown')
  expect(await ask('POST', path)).toMatchObject({ status: 202, body: { room: 'r', state: 'notice' } })
  expect((await ask('POST', path, {})).body.id).toBe('rec r')
  expect((await ask('PATCH', path, { paused: false })).body.state).toBe('recording')
  expect((await ask('PATCH', path, { paused: true })).body.state).toBe('paused')
  expect((await ask('GET', path)).body).toEqual({ id: 'rec r', room: 'r', state: 'paused', keptMs: 0 })
  expect((await ask('GET', '/rooms/r')).body.recording).toBe('paused')
  expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { state: 'ended' } })
  expect((await ask('DELETE', path)).body.error).toBe('recording_unknown')
  await ask('POST', '/rooms', { name: 'nobody' })
  expect(await ask('POST', '/rooms/nobody/recording')).toMatchObject({
    status: 409,
    body: { error: 'not_now' },
  })
})

test('every operation reports that recording is not configured', async () => {
  const { ask, join } = await controlled({ bare: true })
  join('anna')
  for (const [method, body] of [['GET'], ['POST'], ['PATCH', { paused: true }], ['DELETE']] as const)
    expect(await ask(method, '/rooms/r/recording', body)).toMatchObject({
      status: 501,
      body: { code: 'missing', error: 'recording_off' },
    })
})
