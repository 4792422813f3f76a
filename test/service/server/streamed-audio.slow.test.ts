import { describe, expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { realService, speak } from '../../support/service/real-service.ts'
import { Player } from '../../support/service/stream-player.ts'
import { RECEIVE } from '../../support/service/test-client.ts'
import { slowdown } from '../../support/transcode/slowdown.ts'

const STREAM = { ...RECEIVE, obtainVia: 'stream' }
const LIVE = { receiveAudio: { ...STREAM, mode: 'streaming' } }

/** Reads a response until it has `bytes`, then leaves; returns the bytes. */
async function read(url: string, bytes: number): Promise<number> {
  const leave = new AbortController()
  const { body } = await fetch(url, { signal: leave.signal })
  let came = 0
  for await (const piece of body!) {
    came += piece.length
    if (came >= bytes) break
  }
  leave.abort()
  return came
}

describe('with the installed engines', () => {
  const real = realService({ maxSessions: 4 })

  test('a player plays Spanish while the speaker still talks', async () => {
    const client = await real.ready('/sts', LIVE)
    const player = new Player(await client.until<string>('start'))
    const begin = performance.now()
    // Three sentences at the pace of speech, with pauses that outlast the delay of a busy machine; not awaited before Spanish was played.
    const talk = speak(
      client,
      joined(recording(2), pause(2_000), recording(5), pause(2_000), recording(2), pause(1_500)),
      60,
    )
    let talking = true
    void talk.then(() => {
      talking = false
    })
    await expect.poll(() => player.voiceSince(begin), { timeout: 60_000, interval: 20 }).toBeDefined()
    expect(talking).toBe(true)
    expect(client.socket.connected).toBe(true)
    const result = await client.until<StsResult>('result')
    expect(result.file).toBeUndefined()
    const first = client.heard.find(({ payload }) => (payload as StsResult | undefined)?.translation)!
    expect(player.voiceSince(begin)! - first.at).toBeLessThan(1_000 * slowdown())
    await talk
    await client.until('endSynth', 3)
    client.close()
    expect(await player.ended()).toBe(0)
    expect(player.complaints).toBe('')
    // Only the silence before the start is missing; the silence in between is included.
    expect(player.ms).toBeGreaterThan(performance.now() - begin - 2_000)
    expect(player.stretches).toBeGreaterThanOrEqual(3)
    expect(client.payloads<StsResult>('result').some(each => each.file)).toBe(false)
  })

  test.each([
    ['default', 16_000],
    ['hasty', 8_000],
    ['hasty', 48_000],
  ])('plays text almost immediately: a %s player at %d Hz', async (haste, sampleRate) => {
    const client = await real.ready('/tts', { receiveAudio: { ...LIVE.receiveAudio, sampleRate } })
    const player = new Player(await client.until<string>('start'), haste === 'hasty')
    await expect.poll(() => player.ms, { timeout: 60_000 }).toBeGreaterThan(200)
    for (const text of ['Buenos días, señora.', '¿Cómo está usted?']) {
      const sent = performance.now()
      expect(await client.sendText(text)).toBe(true)
      await expect.poll(() => player.voiceSince(sent), { timeout: 60_000, interval: 10 }).toBeDefined()
      expect(player.voiceSince(sent)! - sent).toBeLessThan(1_500 * slowdown())
      await new Promise(resolve => setTimeout(resolve, 2_000))
    }
    client.close()
    expect(await player.ended()).toBe(0)
    expect(player.complaints).toBe('')
    expect(player.stretches).toBeGreaterThanOrEqual(2)
  })

  test('plays the whole text to a player that connects after it', async () => {
    const client = await real.ready('/tts', { receiveAudio: STREAM })
    const url = await client.until<string>('start')
    await client.sendText('Buenos días.')
    await client.until('endSynth')
    expect(client.names.slice(3)).toEqual(['result', 'endSynth'])
    const player = new Player(url)
    await expect.poll(() => player.stretches, { timeout: 60_000 }).toBeGreaterThanOrEqual(1)
    player.close()
    client.close()
  })
})

test('the URL: at the address the client used, long, without the key, and different each time', async () => {
  const { ready, url } = await fakeService({ maxSessions: 4 })
  const urls = []
  for (const namespace of ['/tts', '/tts', '/sts']) {
    const { client } = await ready(namespace, LIVE)
    urls.push(client.payloads<string>('start')[0]!)
  }
  expect(new Set(urls).size).toBe(3)
  for (const each of urls) {
    expect(each).toMatch(new RegExp(`^${url}/stream/[\\w-]{43}\\.mp3$`))
    expect(each).not.toContain(KEY)
  }
})

test('uses the public address in the URL when proxied', async () => {
  const { ready } = await fakeService({ publicUrl: 'https://speech.example/base/' })
  const { client } = await ready('/tts', LIVE)
  expect(client.payloads<string>('start')[0]).toMatch(
    /^https:\/\/speech\.example\/base\/stream\/[\w-]{43}\.mp3$/,
  )
})

test('HEAD and GET only, with the headers of a stream; HEAD consumes no audio', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/tts', LIVE)
  const url = client.payloads<string>('start')[0]!
  for (let n = 0; n < 3; n++) {
    const head = await fetch(url, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe('audio/mpeg')
    expect(head.headers.get('cache-control')).toBe('no-store')
  }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await fetch(url, { method })
    expect(refused.status).toBe(404)
    expect(await refused.json()).toMatchObject({ code: 'not_found', error: 'path_unknown' })
  }
  await client.sendText('one two three')
  await client.until('endSynth')
  expect(await read(url, 1_500)).toBeGreaterThanOrEqual(1_500)
})

test('the URL becomes invalid with its session, and the reader’s response ends', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/tts', LIVE)
  const url = client.payloads<string>('start')[0]!
  const response = await fetch(url)
  client.close()
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
  const gone = await fetch(url)
  expect(gone.status).toBe(404)
  expect(await gone.json()).toMatchObject({ code: 'not_found', error: 'stream_unknown' })
})

test('a new reader takes over; a disconnected one can reconnect', async () => {
  const { ready } = await fakeService()
  const { client } = await ready('/tts', LIVE)
  const url = client.payloads<string>('start')[0]!
  const first = await fetch(url)
  const second = await fetch(url)
  expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
  await second.body?.cancel()
  expect(await read(url, 1_000)).toBeGreaterThanOrEqual(1_000)
  expect(client.payloads('error')).toEqual([])
})

test('other names return no stream, nor does a session without one', async () => {
  const { ready, url } = await fakeService({ maxSessions: 3 })
  await ready('/tts', LIVE)
  const chunk = await ready('/tts')
  expect(chunk.client.payloads('start')).toEqual([true])
  for (const name of ['', 'x', `${chunk.client.socket.id}.mp3`, '..%2f..%2fhealth']) {
    const answer = await fetch(`${url}/stream/${name}`)
    expect(answer.status, name).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'not_found' })
  }
})

test('streamed: endSynth directly after the result of its text, in both modes, and no file', async () => {
  const { ready } = await fakeService()
  for (const mode of ['block', 'streaming']) {
    const { client, stream } = await ready('/sts', { receiveAudio: { ...STREAM, mode }, partials: 'false' })
    stream.hear('one two three')
    stream.hear('four')
    await client.until('endSynth', 2)
    const told = client.heard.slice(3).map(({ name, payload }) => `${name} ${(payload as StsResult).id}`)
    expect(told).toEqual(['result 1', 'endSynth 1', 'result 2', 'endSynth 2'])
    for (const result of client.payloads<StsResult>('result')) {
      expect(result.translation).toMatch(/^[A-Z ]+$/)
      expect(Object.keys(result)).not.toContain('file')
    }
    client.close()
  }
})

test('closing the service ends the streams at once', async () => {
  const { ready, service } = await fakeService()
  const { client } = await ready('/tts', LIVE)
  const response = await fetch(client.payloads<string>('start')[0]!)
  const begin = performance.now()
  await Promise.all([service.close(), response.arrayBuffer().catch(() => {})])
  expect(performance.now() - begin).toBeLessThan(2_000)
})

describe('in a page of another origin', () => {
  const origin = 'https://app.example.com'

  test.each([{}, { origin }, { origin: 'null' }])('the stream plays: %j', async headers => {
    const { ready } = await fakeService()
    const { client } = await ready('/tts', { receiveAudio: STREAM })
    const url = await client.until<string>('start')
    for (const method of ['HEAD', 'GET']) {
      const leave = new AbortController()
      const response = await fetch(url, { method, headers, signal: leave.signal })
      expect(response.status).toBe(200)
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      leave.abort()
    }
    const asked = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    }
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asked })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('range')
  })

  test('everything else stays with its own pages', async () => {
    const { url } = await fakeService()
    for (const path of ['/health', '/api/languages', '/docs', '/nothing']) {
      const { headers } = await fetch(`${url}${path}`)
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('access-control-allow-origin')).toBe(null)
      const asked = { origin, 'access-control-request-method': 'GET' }
      expect((await fetch(`${url}${path}`, { method: 'OPTIONS', headers: asked })).status).toBe(403)
    }
  })
})
