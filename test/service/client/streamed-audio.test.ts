import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isLocalAddress } from '../../../src/net/outbound-guard.ts'
import { ServiceClient } from '../../../src/service/client/service-client.ts'
import { audioAddress } from '../../../src/service/client/streamed-audio.ts'
import { collected, failureOf, kept, scripted } from '../../support/service/client-helpers.ts'

const TTS = { languageIdTarget: 'es-es', receiveAudio: { obtainVia: 'stream' } } as const

/** Another local server that must not be queried. */
async function bystander(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  kept({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the stream of a session', () => {
  test('arrives as bytes, with the key, until the service ends it', async () => {
    const keys: unknown[] = []
    const http: RequestListener = (request, response) => {
      keys.push(request.headers['x-api-key'])
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write('one')
      setImmediate(() => response.end('two'))
    }
    const { service, client } = await scripted({ http })
    service.next({ startWith: `${service.url}/audio/1` })
    const session = kept(await client.openSession('/tts', TTS))
    expect(session.start).toBe(`${service.url}/audio/1`)
    expect(Buffer.concat(await collected(session.audio!)).toString()).toBe('onetwo')
    expect(keys).toEqual([service.apiKey])
  })

  test('is checked against the origin of the session, even after the end', async () => {
    const { service, client } = await scripted({ http: (_request, response) => void response.end('mp3') })
    service.next({ startWith: '/audio' })
    const session = kept(await client.openSession('/tts', TTS))
    await session.finish()
    expect(Buffer.concat(await collected(session.audio!)).toString()).toBe('mp3')
  })

  test('a path belongs to the service’s origin', async () => {
    const { service, client } = await scripted({
      http: (request, response) => void response.end(request.url),
    })
    service.next({ startWith: '/audio/2?x=1' })
    const session = kept(await client.openSession('/tts', TTS))
    expect(Buffer.concat(await collected(session.audio!)).toString()).toBe('/audio/2?x=1')
  })

  test('ends with the session, and when the reader leaves', async () => {
    let open = 0
    const http: RequestListener = (_request, response) => {
      open++
      response.on('close', () => open--)
      response.write('endless')
    }
    const { service, client } = await scripted({ http })
    service.faults.startWith = '/audio'
    const one = kept(await client.openSession('/tts', TTS))
    const reading = collected(one.audio!)
    await expect.poll(() => open).toBe(1)
    await one.close()
    expect((await reading).length).toBeLessThanOrEqual(1)
    const two = kept(await client.openSession('/tts', TTS))
    for await (const bytes of two.audio!) {
      expect(Buffer.from(bytes).toString()).toBe('endless')
      break
    }
    await expect.poll(() => open).toBe(0)
  })

  test('errors: a status, a redirection, a broken connection', async () => {
    const asked: string[] = []
    const other = await bystander((request, response) => void response.end(asked.push(request.url ?? '')))
    const http: RequestListener = (request, response) => {
      if (request.url === '/gone') response.writeHead(404).end()
      else if (request.url === '/moved') response.writeHead(302, { location: `${other}/secret` }).end()
      else if (request.url === '/cut') response.write('a', () => setImmediate(() => response.destroy()))
    }
    const { service, client } = await scripted({ http })
    const expected = {
      '/gone': { code: 'protocol', error: 'http_status', status: 404 },
      '/moved': { code: 'blocked', error: 'redirected' },
      '/cut': { code: 'unreachable', error: 'connection_lost' },
    }
    for (const [path, failure] of Object.entries(expected)) {
      service.next({ startWith: path })
      const session = kept(await client.openSession('/tts', TTS))
      expect(await failureOf(collected(session.audio!)), path).toMatchObject(failure)
    }
    expect(asked).toEqual([])
  })

  test('queries another origin only if it is allowed, and never sends it the key', async () => {
    const keys: unknown[] = []
    const other = await bystander((request, response) => {
      keys.push(request.headers['x-api-key'])
      response.end('mp3')
    })
    const { service, client } = await scripted()
    const trusting = new ServiceClient({ url: service.url, apiKey: service.apiKey, audioOrigins: [other] })
    service.faults.startWith = `${other}/audio`
    const refused = kept(await client.openSession('/tts', TTS))
    expect(() => refused.audio).toThrow('neither the service')
    expect(keys).toEqual([])
    const allowed = kept(await trusting.openSession('/tts', TTS))
    expect(Buffer.concat(await collected(allowed.audio!)).toString()).toBe('mp3')
    expect(keys).toEqual([undefined])
  })
})

describe('the guard', () => {
  const base = 'https://translation.example.com'
  const far = '93.184.216.34'

  test.each([
    ['file:///etc/passwd', [], far],
    ['gopher://translation.example.com/', [], far],
    ['//evil.example.com/a', [], far],
    ['https://translation.example.com@evil.example.com/', [], far],
    ['https://user:secret@translation.example.com/', [], far],
    ['http://translation.example.com/a', [], far],
    ['https://translation.example.com:8443/a', [], far],
    ['http://169.254.169.254/latest/meta-data', [], far],
    ['http://[::1]:80/', [], far],
    ['not a url\u0000', ['https://audio.example.com'], far],
    ['https://audio.example.com.evil.org/', ['https://audio.example.com'], far],
  ])('refuses %s', (start, allowed, peer) => {
    const refused = () => audioAddress(start, base, allowed, peer).url.host
    // A relative address is a path of the service.
    if (start.startsWith('not')) expect(refused()).toBe('translation.example.com')
    else expect(refused).toThrow('streamed audio is not fetched')
  })

  test('accepts its own and allowed origins, and sends the key only to its own', () => {
    expect(audioAddress('/a', base, [], far)).toMatchObject({ own: true })
    const allowed = ['https://audio.example.com/', 'http://10.0.0.1:8000']
    expect(audioAddress('https://audio.example.com/a', base, allowed, far)).toMatchObject({ own: false })
    expect(audioAddress('http://10.0.0.1:8000/a', base, allowed, far)).toMatchObject({ own: false })
  })

  test('rejects a name that resolves to this machine, unless the session itself is local', async () => {
    const near = (peer: string | undefined, host = 'localhost') =>
      new Promise<string>(resolve => {
        const { lookup } = audioAddress('/a', `http://${host}`, [], peer)
        lookup(host, {}, (error, address) => resolve(error ? error.message : String(address)))
      })
    expect(await near(far)).toContain('localhost resolves to a local address')
    expect(await near('127.0.0.1')).toMatch(/^(127\.|::1)/)
    // The location of the session is unknown, so it does not count as local.
    expect(await near(undefined)).toContain('localhost resolves to a local address')
    const { lookup } = audioAddress('http://localhost/a', base, ['http://localhost'], far)
    const failed = await new Promise(resolve => lookup('localhost', { all: true }, resolve))
    expect(String(failed)).toContain('local address')
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is local', address => expect(isLocalAddress(address)).toBe(true))

  test.each(['93.184.216.34', '8.8.8.8', '172.32.0.1', '2606:4700::1111', 'example.com'])(
    '%s is not',
    address => expect(isLocalAddress(address)).toBe(false),
  )
})
