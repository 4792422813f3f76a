import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trust } from '../../../simulator/discord/voice/certificate.ts'
import { silence } from '../../../simulator/index.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import type { Check } from '../../../src/cli/doctor/check.ts'
import { doctor } from '../../../src/cli/doctor/doctor.ts'
import { serviceChecks } from '../../../src/cli/doctor/service-checks.ts'
import { good, Place, settings } from '../../support/cli/doctor-harness.ts'
import { until } from '../../support/until.ts'

let known: Disposable
beforeAll(() => {
  known = trust(good.certificate)
})
afterAll(() => known[Symbol.dispose]())

describe.concurrent('a call through the public address', () => {
  test('is signed, connected, translated and played, in a separate room, without dialing', async () => {
    await using place = await Place.open({})
    const rooms = new Set<string>()
    const watch = setInterval(() => {
      for (const room of place.app.relay.rooms.keys()) rooms.add(room)
    }, 50)
    const checks = await place.examine()
    clearInterval(watch)
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ['public address answers', 'ok'],
      ['Twilio signature', 'ok'],
      ['media stream', 'ok'],
      ['translated call', 'ok'],
    ])
    expect(checks[0]?.found).toMatch(/^a Dragoman server; certificate valid for 36[45] days$/)
    expect(checks[3]?.found).toMatch(/^en-us → es-es: heard \d\.\d s at -\d+ dBFS, \d\.\d s after the words$/)
    expect([...rooms]).toEqual([expect.stringMatching(/^doctor [0-9a-f-]{36}$/)])
    expect(place.app.dialer).toBeUndefined()
    await until(() => place.app.relay.legs === 0, 5_000, 'the end of the call')
  })

  test('is placed directly at the server if there is no public address', async () => {
    await using place = await Place.open({}, { publicUrl: undefined, twilio: { insecure: true } })
    const checks = await place.examine({ connectTo: undefined }, [], {
      publicUrl: undefined,
      twilio: { insecure: true },
    })
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ['media stream', 'ok'],
      ['translated call', 'ok'],
    ])
  })

  test('is cut by a proxy: the doctor reports it and its fix', async () => {
    await using place = await Place.open({ cutMs: 1_000 })
    expect((await place.examine()).filter(({ status }) => status !== 'ok')).toEqual([
      {
        ...{ name: 'media stream', status: 'fail' },
        found: expect.stringContaining('closed during the call'),
        fix: expect.stringContaining('proxy_read_timeout'),
      },
    ])
  })

  test('is skipped if disabled or if no server is running', async () => {
    await using place = await Place.open({})
    expect((await place.examine({ call: false })).map(({ name }) => name)).toEqual([
      'public address answers',
      'Twilio signature',
    ])
    await place.app.close()
    expect(await place.examine()).toEqual([
      expect.objectContaining({
        name: 'public address answers',
        status: 'warn',
        found: expect.stringContaining('502'),
      }),
      expect.objectContaining({
        name: 'translated call',
        status: 'warn',
        fix: expect.stringContaining('dragoman serve'),
      }),
    ])
    const local = { publicUrl: undefined, twilio: { insecure: true } }
    expect(await place.examine({}, [], local)).toEqual([
      expect.objectContaining({ name: 'translated call', status: 'warn' }),
    ])
    expect(await place.examine({ call: false }, [], local)).toEqual([])
  })
})

test('a proxy that accepts connections and answers nothing is reported', async () => {
  await using place = await Place.open({})
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const checks = await place.examine({ connectTo: `https://127.0.0.1:${port}` })
  expect(checks).toMatchObject([{ status: 'fail', fix: expect.stringContaining('--connect-to') }])
  silent.close()
})

test('the doctor reports no problem in a valid setup', async () => {
  await using place = await Place.open({})
  const { url, apiKey } = place.service
  const checks = await doctor(settings({ port: place.port, service: { url, apiKey } }), {
    ...{ connectTo: place.proxy.address, audio: join(place.folder, 'said.wav') },
  })
  expect(checks.filter(({ status }) => status !== 'ok')).toEqual([])
  expect(checks.map(({ name }) => name)).toEqual([
    ...['Node', 'settings', 'port', 'service', 'session', 'en-us → es-es'],
    ...['public address', 'Twilio auth token', 'control API'],
    ...['public address answers', 'Twilio signature', 'media stream', 'translated call'],
  ])
})

test('the doctor starts the embedded service', async () => {
  const checks = await serviceChecks(loadConfig({ env: {} }))
  expect(checks[0]).toMatchObject({
    name: 'service',
    status: 'ok',
    found: expect.stringMatching(/^embedded: /),
  })
})

describe.concurrent('with a working route', () => {
  test('the signature is rejected if the settings differ from the server’s', async () => {
    await using place = await Place.open({}, { publicUrl: 'https://old.dragoman.example' })
    const [reached, signature, ...more] = await place.examine()
    expect(reached?.status).toBe('ok')
    expect(signature).toMatchObject({
      name: 'Twilio signature',
      status: 'fail',
      found: expect.stringContaining('another publicUrl or auth token'),
      fix: expect.stringContaining('restart the server'),
    })
    expect(more).toEqual([])
    const other = await place.examine({}, [], { twilio: { authToken: 'ffffffffffffffffffffffffffffffff' } })
    expect(other[1]).toMatchObject({ name: 'Twilio signature', status: 'fail' })
  })

  test('only the caller’s own voice or a notice is played if the service is unavailable', async () => {
    await using place = await Place.open({})
    await place.service.stop()
    const heard = (await place.examine()).at(-1)
    expect(heard).toMatchObject({
      name: 'translated call',
      status: 'fail',
      fix: expect.stringContaining('service is unavailable'),
    })
    // The earlier finding about the service is more precise.
    const why: Check = { name: 'service', status: 'fail', found: 'nothing answers', fix: 'start it' }
    expect((await place.examine({}, [why])).at(-1)).toMatchObject({
      status: 'fail',
      found: 'no translation was played: service: nothing answers',
      fix: 'start it',
    })
  })

  test('no audio is received if the service has no voice', async () => {
    await using place = await Place.open({}, {}, silence)
    expect((await place.examine()).at(-1)).toMatchObject({
      name: 'translated call',
      status: 'fail',
      found: expect.stringContaining('no audio was received'),
      fix: expect.stringContaining('has no voice for es-es'),
    })
  })

  test('a server that rejects new calls is reported', async () => {
    await using place = await Place.open({})
    void place.app.drain.begin()
    expect((await place.examine()).at(-1)).toMatchObject({
      name: 'media stream',
      status: 'fail',
      found: expect.stringContaining('rejected the call'),
      fix: expect.stringContaining('/ready'),
    })
  })

  test('no call is placed with an unreadable recording', async () => {
    await using place = await Place.open({})
    expect((await place.examine({ audio: join(place.folder, 'nothing.wav') })).at(-1)).toMatchObject({
      status: 'fail',
      fix: 'fix --audio',
    })
  })
})
