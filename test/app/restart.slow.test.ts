import { expect, test } from 'vitest'
import { Talker } from '../support/browser/page-client.ts'
import { Deployment, type Instance, PATIENCE_MS } from '../support/faults/served.ts'

const KEY = 'a-key-that-nobody-would-guess'
const PUBLIC = { origin: 'https://bridge.example.com', host: 'bridge.example.com' }

test('after kill -9 in a call, its code and links work, and created rooms exist', {
  timeout: 120_000,
}, async () => {
  await using deployment = await Deployment.open()
  const start = async () => {
    const instance = await deployment.start({
      DRAGOMAN_CONTROL_KEYS: JSON.stringify([{ name: 'desk', key: KEY }]),
    })
    deployment.lead(instance)
    return instance
  }
  const first = await start()
  await deployment.translated('desk')
  await asked(first, 'POST', '/rooms', { name: 'meeting', languages: ['en-us'], maxParticipants: 2 })
  const { code } = await asked(first, 'POST', '/rooms/desk/codes')
  const { token: link } = await asked(first, 'POST', '/rooms/desk/links')
  const { token: captions } = await asked(first, 'POST', '/rooms/desk/captions/link')
  const revoked = await asked(first, 'POST', '/rooms/meeting/codes')
  await asked(first, 'DELETE', `/rooms/meeting/codes/${revoked.code}`)

  expect(await first.command.end('SIGKILL')).toBe(-1)
  const second = await start()
  expect(await asked(second, 'GET', '/rooms/meeting')).toMatchObject({
    languages: ['en-us'],
    maxParticipants: 2,
  })
  expect((await asked(second, 'GET', '/rooms/meeting/codes')).codes).toEqual([])
  const people = (count: number) =>
    expect
      .poll(async () => (await answer(second, 'GET', '/rooms/desk')).participants ?? 0, {
        timeout: PATIENCE_MS,
      })
      .toBe(count)
  // One calls again.
  await deployment.call('desk')
  await people(1)
  expect((await asked(second, 'GET', '/rooms/desk/codes')).codes).toMatchObject([{ code, room: 'desk' }])
  for (const [at, key] of [{ code }, { link }].entries()) {
    const visitor = await Talker.open(second.address, PUBLIC)
    await visitor.hello(key)
    await people(2 + at)
  }
  const read = await fetch(`${second.address}/v1/rooms/desk/transcript`, {
    headers: { authorization: `Bearer ${captions}` },
  })
  expect(read.status).toBe(200)
})

async function answer(at: Instance, method: string, path: string, body?: object) {
  const response = await fetch(`${at.address}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
  })
  // Of any type: the test knows the response’s shape.
  return { status: response.status, ...JSON.parse(await response.text()) }
}

async function asked(at: Instance, method: string, path: string, body?: object) {
  const answered = await answer(at, method, path, body)
  expect(answered.status, `${method} ${path}: ${JSON.stringify(answered)}`).toBeLessThan(300)
  return answered
}
