import { describe, expect, onTestFinished, test } from 'vitest'
import { Talker } from '../support/browser/page-client.ts'
import { type Guarded, guarded, KEY } from '../support/security/guarded.ts'
import { until } from '../support/until.ts'

/** The bridge with a page for invited people only, and a client with the key. */
async function desk() {
  const it = await guarded({ browser: { access: 'invited' }, transcripts: { store: 'memory' } })
  const base = `http://127.0.0.1:${it.port}`
  const ask = async (method: string, path: string, body?: object, bearer = KEY) => {
    const response = await fetch(`${base}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text) }
  }
  const visitor = async () => {
    const talker = await Talker.open(base)
    onTestFinished(() => talker.socket.terminate())
    return talker
  }
  return { ...it, base, ask, visitor }
}

/** All invitations to `room`. */
async function invitations({ ask }: Awaited<ReturnType<typeof desk>>, room: string) {
  const talk = (await ask('POST', `/rooms/${room}/links`, {})).body.token as string
  const captions = (await ask('POST', `/rooms/${room}/captions/link`, {})).body.token as string
  const code = (await ask('POST', `/rooms/${room}/codes`, {})).body.code as string
  return { talk, captions, code }
}

async function captionStatus(base: string, room: string, token: string): Promise<number> {
  const aborted = new AbortController()
  const { status } = await fetch(`${base}/v1/rooms/${room}/captions`, {
    headers: { authorization: `Bearer ${token}` },
    signal: aborted.signal,
  })
  aborted.abort()
  return status
}

const emptied = ({ app }: Guarded) => until(() => app.relay.rooms.size === 0, 5_000, 'the end of the room')

describe('an invitation to a room', () => {
  test('is invalid after the deletion, even for a later room of the same name', async () => {
    const it = await desk()
    const { ask, base, visitor } = it
    await ask('POST', '/rooms', { name: 'x', languages: ['en-us', 'es-es'], maxParticipants: 1 })
    const old = await invitations(it, 'x')
    const guest = await visitor()
    await guest.hello({ link: old.talk })
    await ask('DELETE', '/rooms/x')
    expect(await guest.expectClosed()).toBe(1000)
    await emptied(it)

    const closed = async () => {
      for (const by of [{ link: old.talk }, { code: old.code }]) {
        const late = await visitor()
        late.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es', ...by })
        expect(await late.expect('refused')).toMatchObject({ why: 'link' in by ? 'link' : 'code' })
      }
      expect(it.app.relay.rooms.size).toBe(0)
    }
    await closed()
    await ask('POST', '/rooms', { name: 'x' })
    await closed()
    expect(await captionStatus(base, 'x', old.captions)).toBe(401)

    // Readers of the former room cannot read the later one.
    const now = await invitations(it, 'x')
    const other = await visitor()
    await other.hello({ link: now.talk })
    expect(await captionStatus(base, 'x', old.captions)).toBe(401)
    expect(await captionStatus(base, 'x', now.captions)).toBe(200)
    const { life } = (await ask('GET', '/rooms/x')).body
    expect((await ask('GET', '/rooms/x/transcript', undefined, old.captions)).status).toBe(401)
    expect((await ask('GET', '/rooms/x/transcript', undefined, now.captions)).status).toBe(200)
    await ask('DELETE', '/rooms/x')
    await emptied(it)
    const { status } = await ask('GET', `/rooms/x/transcript?life=${life}`, undefined, old.captions)
    expect(status).toBe(404)
  })

  test('survives an empty created room, but not the end of the room that it was created in during the goodbye', async () => {
    const it = await desk()
    const { ask, visitor } = it
    await ask('POST', '/rooms', { name: 'x' })
    const { talk } = await invitations(it, 'x')
    for (let n = 0; n < 2; n++) {
      const guest = await visitor()
      await guest.hello({ link: talk })
      guest.send({ kind: 'bye' })
      await emptied(it)
    }
    const last = await visitor()
    await last.hello({ link: talk })
    const ending = ask('DELETE', '/rooms/x?goodbye=true')
    const codes = async () => (await it.app.roomCodes.of('x')).length
    await expect.poll(codes, { interval: 5 }).toBe(0)
    last.send({ kind: 'invite' })
    for (const path of ['links', 'codes', 'captions/link'])
      expect([404, 409]).toContain((await ask('POST', `/rooms/x/${path}`, {})).status)
    expect((await ending).status).toBe(200)
    await emptied(it)
    const given = last.told.flatMap(message => (message.kind === 'invited' ? [message.path] : []))
    for (const path of given) {
      const late = await visitor()
      late.send({ kind: 'hello', hears: 'en-us', alone: 'es-es', link: path.replace(/^.*join=/, '') })
      expect(await late.expect('refused')).toMatchObject({ why: 'link' })
    }
  })
})
