import { request } from 'node:http'
import { afterEach, describe, expect, it, test } from 'vitest'
import { WebSocket } from 'ws'
import { RoomCodeLimiter } from '../../../src/core/calls/room-code-limiter.ts'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'

let b: Awaited<ReturnType<typeof browserServer>>
afterEach(() => b.close())

/** Returns the status of an upgrade request; 101: the socket is open. */
function upgrade(headers: Record<string, string>): Promise<number> {
  return new Promise(resolve => {
    const socket = new WebSocket(`${b.address.replace('http', 'ws')}/talk/socket`, { headers })
    socket.on('open', () => {
      resolve(101)
      socket.terminate()
    })
    socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0))
    socket.on('error', () => {})
  })
}

/** Requests a page or list with a custom `Host`, which `fetch` does not allow. */
function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string; type: string }> {
  return new Promise((resolve, reject) => {
    request(`${b.address}${path}`, { headers }, answer => {
      let body = ''
      answer.on('data', chunk => {
        body += chunk
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, body, type: answer.headers['content-type'] ?? '' }),
      )
    })
      .on('error', reject)
      .end()
  })
}

const PUBLIC = 'https://talk.example.com'

describe('access to the page', () => {
  it('rejects pages of other sites that use a visitor’s browser', async () => {
    b = await browserServer({ publicUrl: PUBLIC })
    const { host } = new URL(b.address)
    expect(await upgrade({})).toBe(101)
    expect(await upgrade({ origin: b.address })).toBe(101)
    expect(await upgrade({ origin: PUBLIC, host: 'talk.example.com' })).toBe(101)
    for (const origin of [
      'https://evil.example',
      'null',
      `http://${host}.evil.example`,
      'http://localhost:1',
    ])
      expect(await upgrade({ origin })).toBe(403)
    expect((await get('/talk/languages', { origin: 'https://evil.example' })).status).toBe(403)
  })

  it('rejects unknown host names', async () => {
    b = await browserServer({ publicUrl: PUBLIC, settings: { origins: ['https://other.example:8443'] } })
    const { port } = new URL(b.address)
    for (const host of [
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      '[::1]:8080',
      '192.168.1.5',
      'talk.example.com',
      'other.example:8443',
    ])
      expect([host, await upgrade({ host })]).toEqual([host, 101])
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      'talk.example.com:81',
      '1.2.3.4.evil.example',
    ])
      expect([host, await upgrade({ host, origin: `http://${host}` })]).toEqual([host, 403])
    expect((await get('/', { accept: 'text/html', host: 'evil.example' })).status).toBe(403)
  })

  it('sends the page to browsers and text to other clients', async () => {
    b = await browserServer({ words: () => 'All is well.' })
    const page = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect(page.type).toContain('text/html')
    expect(page.body).toContain('id="start"')
    // All its resources exist.
    for (const [, path] of page.body.matchAll(/(?:src|href)="\.(\/talk\/files\/[^"]+)"/g))
      expect((await get(path!)).status).toBe(200)
    expect((await get('/talk/files/bridges/browser/audio-packet.ts')).status).toBe(200)
    for (const accept of ['*/*', 'application/json', ''])
      expect(await get('/', accept === '' ? {} : { accept })).toMatchObject({
        status: 200,
        body: 'All is well.',
      })
  })

  it('reports the capabilities of the service and the defaults', async () => {
    b = await browserServer()
    const { body } = await get('/talk/languages')
    expect(JSON.parse(body)).toMatchObject({
      languages: [{ id: 'en-us', heard: true }, { id: 'es-es' }, { id: 'fr-fr', heard: false }],
      voices: [{ id: 'es-f', gender: 'F' }, { id: 'en-m' }],
      defaults: { speaks: 'en-us', hears: 'es-es' },
      welcome: true,
    })
    // Without the rest of the server there is no dashboard to link to.
    expect(JSON.parse(body)).not.toHaveProperty('dashboard')
    const { recordings } = JSON.parse(body) as { recordings: { url: string }[] }
    expect(recordings).toHaveLength(5)
    expect((await get(`/talk/${recordings[0]!.url}`)).type).toBe('audio/wav')
    expect((await get('/talk/recordings/..%2ftranscripts.json')).status).toBe(404)
  })

  test.each([true, false])('tells holders of a link who is there, if allowed: %s', async showNames => {
    b = await browserServer({ settings: { showNames } })
    const anna = await b.talker()
    await anna.hello({ name: 'Anna' })
    anna.send({ kind: 'invite' })
    const { path } = await anna.expect('invited')
    const ask = async (token: string) => {
      const { body } = await get('/talk/languages', { authorization: `Bearer ${token}` })
      const { invited, inviter, present } = JSON.parse(body)
      return { invited, inviter, present }
    }
    const names = { inviter: 'Anna', present: ['Anna'] }
    expect(await ask(path.slice(path.indexOf('=') + 1))).toEqual({
      invited: true,
      ...(showNames ? names : {}),
    })
    // Links of programs have no inviter; others learn nothing.
    const [room = ''] = b.relay.rooms.keys()
    const present = showNames ? ['Anna'] : undefined
    expect(await ask(await b.bridge.links.issue(room, 60_000))).toEqual({ invited: true, present })
    expect(await ask('x'.repeat(24))).toEqual({ invited: false })
  })

  it('queries the service once for many requests, and again after a failure', async () => {
    let asked = 0
    b = await browserServer({
      offer: async () => {
        if (++asked === 1) throw new Error('away')
        return { languages: [], voices: [] }
      },
    })
    expect((await get('/talk/languages')).status).toBe(503)
    const answers = await Promise.all([1, 2, 3].map(() => get('/talk/languages')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(asked).toBe(2)
    b.clock.advance(61_000)
    await get('/talk/languages')
    expect(asked).toBe(3)
  })
})

describe('admission of visitors', () => {
  const outsider = { 'x-forwarded-for': '203.0.113.9' }
  const knock = async (headers: Record<string, string>, wishes: object = {}) => {
    const talker = await b.talker(headers)
    talker.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es', ...wishes })
    for (;;) {
      const first = talker.told[0]
      if (first) return first.kind === 'refused' ? first.why : first.kind
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  test.each([
    ['local', 'welcome', 'uninvited'],
    ['invited', 'uninvited', 'uninvited'],
    ['anyone', 'welcome', 'welcome'],
  ] as const)('%s: locally %s, remotely %s', async (visitors, here, elsewhere) => {
    b = await browserServer({ settings: { access: visitors } })
    expect(await knock({})).toBe(here)
    expect(await knock(outsider)).toBe(elsewhere)
    expect(JSON.parse((await get('/talk/languages', outsider)).body)).toMatchObject({
      welcome: elsewhere === 'welcome',
    })
    const link = await b.bridge.links.issue('desk', 60_000)
    const code = await b.codes.issue('desk', 60_000)
    expect(await knock(outsider, { link })).toBe('welcome')
    expect(await knock(outsider, { code })).toBe('welcome')
    expect(b.relay.rooms.get('desk')?.participants.size).toBe(2)
  })

  test('links expire and can be revoked', async () => {
    b = await browserServer()
    const link = await b.bridge.links.issue('desk', 60_000)
    expect(await knock({}, { link: 'x'.repeat(24) })).toBe('link')
    expect(await knock({}, { link })).toBe('welcome')
    expect(await b.bridge.links.revokeAll('desk')).toBe(1)
    expect(await knock({}, { link })).toBe('link')
    const another = await b.bridge.links.issue('desk', 60_000)
    b.clock.advance(60_000)
    expect(await knock({}, { link: another })).toBe('link')
    expect(JSON.stringify(b.log.all)).not.toContain(link)
  })

  test('limits guesses of codes', async () => {
    const { FakeClock } = await import('../../../simulator/fakes/fake-clock.ts')
    b = await browserServer({ roomCodeLimiter: new RoomCodeLimiter('address', new FakeClock()) })
    for (let n = 0; n < 5; n++) expect(await knock({}, { code: '000000' })).toBe('code')
    expect(await knock({}, { code: await b.codes.issue('desk', 60_000) })).toBe('too-many-codes')
    expect(await knock({})).toBe('welcome')
  })

  test('limits visitors, checks languages, and rejects visitors while the server is busy', async () => {
    let busy = false
    b = await browserServer({
      settings: { maxVisitors: 2 },
      invite: guest => (busy ? { refused: 'busy' } : { ...guest, name: 'A guest' }),
    })
    expect(await knock({}, { speaks: 'fr-fr' })).toBe('language')
    expect(await knock({}, { alone: 'xx-xx' })).toBe('language')
    busy = true
    expect(await knock({})).toBe('busy')
    busy = false
    expect(await knock({})).toBe('welcome')
    expect(await knock({})).toBe('welcome')
    expect(await knock({})).toBe('full')
    expect(Object.fromEntries(b.bridge.counters.refused)).toEqual({ language: 2, busy: 1, full: 1 })
  })

  test('admits visitors with unchecked languages while the service is unavailable', async () => {
    b = await browserServer({ offer: () => Promise.reject(new Error('away')) })
    expect(await knock({}, { speaks: 'fr-fr' })).toBe('welcome')
  })
})
