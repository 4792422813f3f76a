import type { IncomingMessage, RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { replyBytes } from '../../../src/service/client/audio-value.ts'
import { ServiceClient, type ServiceClientOptions } from '../../../src/service/client/service-client.ts'
import { failureOf, scripted } from '../../support/service/client-helpers.ts'

const MP3 = Uint8Array.of(0xff, 0xf3, 0x40, 0xc4)

function json(body: unknown, status = 200): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(Buffer.concat(pieces), { headers }).formData()
}

describe('lists', () => {
  test('with the key, bare or in an object, filters in the query', async () => {
    const asked: unknown[] = []
    const http: RequestListener = (request, response) => {
      asked.push([request.url, request.headers['x-api-key']])
      const list = [{ languageId: 'en-us' }]
      json(request.url?.includes('voices') ? { voices: list } : list)(request, response)
    }
    const { client, service } = await scripted({ http })
    expect(await client.languages()).toEqual([{ languageId: 'en-us' }])
    const filter = {
      language: 'es-es',
      mode: 'block',
      voiceGender: 'M',
      voiceEngine: ['neural', 'standard'],
    } as const
    expect(await client.voices(filter)).toEqual([{ languageId: 'en-us' }])
    await client.voices()
    expect(asked).toEqual([
      ['/api/languages', service.apiKey],
      [
        '/api/voices?language=es-es&mode=block&voiceGender=M&voiceEngine=neural&voiceEngine=standard',
        service.apiKey,
      ],
      ['/api/voices', service.apiKey],
    ])
  })

  test('failures: the codes of the service, its status, no JSON, too much, too late, a redirect, no server', async () => {
    let http: RequestListener = json({ code: 'unauthorized', error: 'key_wrong', description: 'no' }, 401)
    const clock = new FakeClock()
    const { client, service } = await scripted({ http: (...given) => http(...given) }, {}, clock)
    const failure = () => failureOf(client.languages())
    expect(await failure()).toMatchObject({
      name: 'ServiceClientError',
      code: 'unauthorized',
      error: 'key_wrong',
      description: 'no',
      status: 401,
      retryable: false,
      by: 'service',
      message: 'unauthorized/key_wrong: no',
    })
    http = json('down', 503)
    expect(await failure()).toMatchObject({ error: 'http_status', status: 503, retryable: true })
    http = (_request, response) => void response.end('<html>')
    expect(await failure()).toMatchObject({ code: 'protocol', error: 'not_json' })
    http = json({ nothing: 1 })
    expect(await failure()).toMatchObject({ error: 'no_list' })
    http = (_request, response) => {
      for (let n = 0; n < 65; n++) response.write(Buffer.alloc(1_048_576))
      response.end()
    }
    expect(await failure()).toMatchObject({ error: 'reply_too_large' })
    http = (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end()
    expect(await failure()).toMatchObject({ error: 'http_status', status: 302 })
    http = () => clock.advance(5_000)
    expect(await failure()).toMatchObject({ code: 'timeout', error: 'no_reply', retryable: true })
    http = () => {}
    expect(await failureOf(client.voices({}, AbortSignal.timeout(10)))).toMatchObject({ error: 'aborted' })
    await service.stop()
    expect(await failure()).toMatchObject({ code: 'unreachable', retryable: true })
    expect(() => new ServiceClient({ url: 'ftp://x', apiKey: 'k' })).toThrow(RangeError)
  })
})

describe('batch', () => {
  test('sends the form, and reads text and bytes', async () => {
    const seen: Record<string, unknown> = {}
    const http: RequestListener = async (request, response) => {
      const form = await formOf(request)
      for (const [name, value] of form) seen[name] = value
      const data = Buffer.from(MP3).toString('base64')
      json({ text: 'hello', translation: 'hola', file: { data, codec: 'mp3' } })(request, response)
    }
    const { client } = await scripted({ http })
    const reply = await client.batch({
      mode: 'sts',
      file: Uint8Array.of(1, 2, 3),
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      receiveAudio: { sampleRate: 24_000 },
      more: { extra: 'yes' },
    })
    expect(reply).toMatchObject({ text: 'hello', translation: 'hola' })
    expect(Buffer.from(reply.audio!)).toEqual(Buffer.from(MP3))
    expect(reply.payload).toMatchObject({ file: { codec: 'mp3' } })
    expect(seen).toMatchObject({
      mode: 'sts',
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      receiveAudio: '{"sampleRate":24000}',
      extra: 'yes',
    })
    expect(await (seen.file as Blob).bytes()).toEqual(Uint8Array.of(1, 2, 3))
    await client.batch({ mode: 'tts', file: 'hola' })
    expect(await (seen.file as Blob).text()).toBe('hola')
  })

  test('rejects another mode locally', async () => {
    const { client } = await scripted()
    const asked = client.batch({ mode: 'stss' as never, file: 'x' })
    await expect(asked).rejects.toThrow('the mode is "stss", allowed: stt, translator, tts, sts')
  })

  test('an error of the service is a failure with its codes', async () => {
    const body = { code: 'bad_file', error: 'language_not_detected', description: 'which one?' }
    const { client } = await scripted({ http: json(body, 422) })
    const failed = await failureOf(client.batch({ mode: 'stt', file: new Blob(['x']) }))
    expect(failed).toMatchObject({ ...body, status: 422 })
  })

  test.each([
    ['base64', Buffer.from(MP3).toString('base64')],
    ['a data URL', `data:audio/mpeg;base64,${Buffer.from(MP3).toString('base64')}`],
    ['a list', [...MP3]],
    ['a Buffer', JSON.parse(JSON.stringify(Buffer.from(MP3)))],
    ['a typed array', JSON.parse(JSON.stringify(MP3))],
  ])('accepts bytes as %s', (_form, value) => {
    expect(Buffer.from(replyBytes(value)!)).toEqual(Buffer.from(MP3))
  })

  test.each([['not base64!'], [''], [[1, 70_000]], [{ a: 1 }], [{}], [null], [7]])(
    '%j is not bytes',
    value => {
      expect(replyBytes(value)).toBeUndefined()
    },
  )
})

describe('misuse', () => {
  test.each([
    [{ socketPath: 'socket.io' }, 'socketPath is a path like /translate/socket.io/, got "socket.io"'],
    [{ audioOrigins: ['audio.example.com'] }, 'audioOrigins are like https://audio.example.com, got'],
    [{ apiKey: undefined }, 'the API key must be a string, got undefined'],
    [{ url: 'example.com' }, 'the service\'s address is http:// or https://, got "example.com"'],
  ])('%j is rejected at once', (option, said) => {
    const options = { url: 'http://127.0.0.1:1', apiKey: 'key', ...option } as ServiceClientOptions
    expect(() => new ServiceClient(options)).toThrow(said)
  })

  test('an undefined option has its default; an invalid option or namespace is rejected', async () => {
    const { service, client } = await scripted({}, { socketPath: undefined, audioOrigins: undefined })
    await using session = await client.openSession('/stt', { languageIdSource: 'en-us' })
    await session.send(Buffer.alloc(1_920))
    await expect(session.finish({ quietMs: Number.NaN })).rejects.toThrow('quietMs is NaN')
    const nowhere = client.openSession('/sst' as never, {} as never)
    await expect(nowhere).rejects.toThrow('the namespace is "/sst", allowed: /stt, /translator, /tts, /sts')
    expect(service.sessions).toHaveLength(1)
  })
})
