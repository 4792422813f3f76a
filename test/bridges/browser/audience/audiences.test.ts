import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { Audiences } from '../../../../src/bridges/browser/audience/audiences.ts'
import { LISTENER_LIMITS } from '../../../../src/bridges/browser/audience/listen-page.ts'
import { Listener } from '../../../../src/bridges/browser/audience/listener.ts'
import { pageSocket } from '../../../../src/bridges/browser/browser-leg.ts'
import type { BrowserBridgeOptions } from '../../../../src/bridges/browser/index.ts'
import { BridgeCounters } from '../../../../src/bridges/browser/leg-counters.ts'
import { DEFAULT_LIMITS } from '../../../../src/bridges/browser/limits.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { browserServer } from '../../../support/browser/browser-bridge-harness.ts'
import { ListenerClient } from '../../../support/browser/listener-client.ts'
import { rooms } from '../../../support/relay/rooms.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const LANGUAGES = ['es-es', 'de-de', 'fr-fr', 'it-it']
const offer: BrowserBridgeOptions['offer'] = async () => ({
  languages: ['en-us', ...LANGUAGES].map(id => ({ id, name: id, heard: true, spoken: true, into: [] })),
  voices: [],
})

type Hall = Awaited<ReturnType<typeof hall>>
let h: Hall
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** A server with a link for listening to `desk`. */
async function hall(
  settings: BrowserBridgeOptions['settings'] = {},
  options: Partial<BrowserBridgeOptions> = {},
) {
  const server = await browserServer({ offer, settings, ...options })
  const clients: ListenerClient[] = []
  opened.push({
    close: async () => {
      for (const { socket } of clients) socket.terminate()
      await server.close()
    },
  })
  const link = await server.bridge.listenLinks.issue('desk', 3_600_000)
  const listener = async (hears?: string, wishes: object = {}) => {
    const client = await ListenerClient.open(server.address, { link, hears, ...wishes })
    clients.push(client)
    return client
  }
  /** Somebody who speaks English joins by a link for talking. */
  const host = async () => {
    const talker = await server.talker()
    await talker.hello({
      link: await server.bridge.links.issue('desk', 3_600_000),
      hears: 'en-us',
      alone: 'en-us',
    })
    return talker
  }
  const open = () => server.translator.connections.filter(({ closed }) => !closed)
  return { ...server, clients, link, listener, host, open }
}

/** The host says a tone for `ms`, in real steps of the clock. */
async function say(talker: Awaited<ReturnType<Hall['host']>>, ms: number, hz = 300): Promise<void> {
  const pcm = sine(hz, 20)
  for (let t = 0; t < ms; t += 20) {
    talker.say(pcm)
    await h.run(20)
  }
}

const level = (client: ListenerClient, hz: number) => Math.round(loudness(client.pcm, hz, 16_000))

describe('an audience', () => {
  test('of 200 in four languages has four sessions and four legs, and what it hears is encoded once', async () => {
    const r = await rooms({}, { awake: false })
    const audiences = new Audiences({
      ...{ relay: r.relay, admission: r.relay, clock: r.clock, log: r.log },
      ...{ name: 'browser', maxLanguages: 4, maxListeners: 200 },
    })
    audiences.start()
    const heard = Array.from({ length: 200 }, (_, n) => {
      const packets: Buffer[] = []
      const member = { hears: true, tell() {}, play: (packet: Buffer) => void packets.push(packet) }
      expect(audiences.enter('desk', member)).toBe(true)
      expect(audiences.hear('desk', member, LANGUAGES[n % 4]!)).toBe(true)
      return packets
    })
    r.join('ana', { room: 'desk', speaks: 'en-us', hears: 'en-us' })
    await r.run(100)
    expect([r.relay.legs, r.relay.rooms.get('desk')?.audiences.map(({ listeners }) => listeners)]).toEqual([
      5,
      [50, 50, 50, 50],
    ])
    r.say('ana', sine(300, 1_000))
    await r.run(1_500)
    const open = r.translator.connections.filter(({ closed }) => !closed)
    expect(open.map(({ request: { to } }) => to)).toEqual(LANGUAGES)
    for (const [n, packets] of heard.entries()) {
      expect(packets.length).toBeGreaterThan(10)
      expect(packets.every((packet, at) => packet === heard[n % 4]![at])).toBe(true)
    }
    audiences[Symbol.dispose]()
    await r.relay.close()
  })

  test('reads and hears its language only, and the host sees how many there are', async () => {
    h = await hall()
    const ana = await h.host()
    const [eva, hans, petra] = await Promise.all(
      ['es-es', 'de-de', 'de-de'].map(language => h.listener(language)),
    )
    for (const each of h.clients) await each.expect('hearing', ({ live }) => live)
    await ana.expect(
      'parties',
      ({ listeners }) => listeners.length === 2 && listeners.some(each => each.listeners === 2),
    )
    expect(h.open()).toEqual([])
    await say(ana, 700)
    expect(
      h
        .open()
        .map(({ request: { to } }) => to)
        .sort(),
    ).toEqual(['de-de', 'es-es'])
    const german = h.open().find(({ request }) => request.to === 'de-de')!
    german.sink.result({ utterance: '1', final: true, text: 'hello', translation: 'hallo' })
    await h.run(300)
    for (const each of [hans!, petra!])
      expect(await each.expect('caption')).toMatchObject({ text: 'hallo', language: 'de-de', final: true })
    expect(eva!.told.some(({ kind }) => kind === 'caption')).toBe(false)
    await until(
      () => hans!.packets.length > 5 && hans!.packets.length === petra!.packets.length,
      5_000,
      'the same audio',
    )
    expect(Buffer.concat(hans!.packets).equals(Buffer.concat(petra!.packets))).toBe(true)
    expect(level(eva!, 300)).toBeGreaterThan(500)
  })

  test('is offered the languages that can be heard, not every one with a voice', async () => {
    const languages = [
      { id: 'en-us', name: 'English', heard: true, spoken: true, into: ['es-es'] },
      { id: 'es-es', name: 'Spanish', heard: false, spoken: true, into: [] },
      { id: 'fr-fr', name: 'French', heard: false, spoken: true, into: [] },
    ]
    h = await hall({}, { offer: async () => ({ languages, voices: [] }) })
    const jean = await h.listener('fr-fr')
    expect((await jean.expect('welcome')).languages).toEqual(['en-us', 'es-es'])
    await jean.expect('unavailable')
  })

  test('waits until somebody is there, is told when nobody is left, and is heard of again', async () => {
    h = await hall()
    const eva = await h.listener('es-es')
    expect((await eva.expect('welcome')).languages).toEqual(['en-us', ...LANGUAGES])
    expect(await eva.expect('hearing')).toEqual({ kind: 'hearing', language: 'es-es', live: false })
    expect(h.relay.rooms.size).toBe(0)
    const ana = await h.host()
    await eva.expect('hearing', ({ live }) => live)
    ana.send({ kind: 'bye' })
    const isLive = () => eva.told.findLast(message => message.kind === 'hearing')?.live
    await until(() => isLive() === false, 5_000, 'the end')
    expect(h.relay.rooms.size).toBe(0)
    await h.host()
    await until(isLive, 5_000, 'another begin')
  })

  test('who only reads gets captions without audio; a change of language follows at once', async () => {
    h = await hall()
    const ana = await h.host()
    const eva = await h.listener('es-es', { audio: false })
    await eva.expect('hearing', ({ live }) => live)
    await say(ana, 600)
    h.translator.last.sink.result({ utterance: '1', final: true, text: 'hello', translation: 'hola' })
    expect(await eva.expect('caption')).toMatchObject({ text: 'hola', language: 'es-es' })
    eva.send({ kind: 'change', hears: 'en-us', audio: true })
    await eva.expect('hearing', ({ language }) => language === 'en-us')
    expect(eva.packets).toEqual([])
    await say(ana, 400)
    await until(() => eva.packets.length > 2, 5_000, 'audio')
    await h.run(300)
    expect(level(eva, 300)).toBeGreaterThan(3_000)
    eva.send({ kind: 'change', hears: 'ja-jp' })
    expect(await eva.expect('unavailable')).toEqual({ kind: 'unavailable', language: 'ja-jp' })
  })

  test('is kept for ten seconds for a listener who reconnects; then its session ends', async () => {
    h = await hall()
    const ana = await h.host()
    const audiences = () => h.relay.rooms.get('desk')?.audiences.length
    const connect = async () => {
      const eva = await h.listener('es-es')
      await eva.expect('hearing', ({ live }) => live)
      return eva
    }
    const first = await connect()
    await say(ana, 600)
    first.socket.terminate()
    await until(() => audiences() === 0, 5_000, 'the end of the connection')
    await h.run(5_000)
    const second = await connect()
    await h.run(10_000)
    expect([h.translator.connections.length, h.open().length, audiences()]).toEqual([1, 1, 1])
    second.socket.close()
    await until(() => audiences() === 0, 5_000, 'the end of the connection')
    await h.run(17_000)
    expect([h.open().length, h.relay.legs]).toEqual([0, 1])
  })

  test('is limited: in languages, which says those that are open, and in listeners', async () => {
    h = await hall({ maxListenLanguages: 2, maxListeners: 3 })
    await h.host()
    const [eva, hans] = [await h.listener('es-es'), await h.listener('de-de')]
    await hans.expect('hearing')
    const jean = await h.listener('fr-fr')
    expect(await jean.expect('languages-full')).toEqual({ kind: 'languages-full', open: ['es-es', 'de-de'] })
    jean.send({ kind: 'change', hears: 'de-de' })
    await jean.expect('hearing', ({ language }) => language === 'de-de')
    const late = await h.listener('es-es')
    expect(await late.expect('refused')).toEqual({ kind: 'refused', why: 'full' })
    expect(await late.expectClosed()).toBe(4403)
    // The only listener of a language can exchange it for another one.
    eva.send({ kind: 'change', hears: 'it-it' })
    await eva.expect('hearing', ({ language }) => language === 'it-it')
    expect(h.bridge.listeners).toBe(3)
  })

  test('ends within ten seconds after its link was revoked, which no talk page accepts', async () => {
    h = await hall()
    const ana = await h.talker()
    ana.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'en-us', link: h.link })
    expect((await ana.expect('refused')).why).toBe('link')
    const eva = await h.listener('es-es')
    await eva.expect('welcome')
    await h.bridge.listenLinks.revokeAll('desk')
    await h.run(10_000)
    expect(await eva.expect('ended')).toEqual({ kind: 'ended', why: 'link' })
    await eva.expectClosed()
    const again = await h.listener('es-es')
    expect((await again.expect('refused')).why).toBe('link')
  })

  test('follows its room to another node of a fleet, on arrival and later', async () => {
    const nodes = { current: undefined as string | undefined }
    const homes = { node: 'a', locate: async () => nodes.current, onLost: () => ({ [Symbol.dispose]() {} }) }
    h = await hall({}, { homes })
    const eva = await h.listener('es-es')
    await eva.expect('welcome')
    nodes.current = 'b'
    const hans = await h.listener('de-de')
    expect(await hans.expect('moved')).toEqual({ kind: 'moved', path: 'n/b/' })
    await h.run(10_000)
    expect(await eva.expect('moved')).toEqual({ kind: 'moved', path: 'n/b/' })
    nodes.current = undefined
    const jean = await h.listener('fr-fr')
    await jean.expect('welcome')
    h.bridge.releaseRooms(new Set(['desk']))
    expect(await jean.expect('ended')).toEqual({ kind: 'ended', why: 'server' })
    expect(await jean.expectClosed()).toBe(1001)
  })

  test('does not wait for a slow listener, who misses audio, and is cut off when nothing is read', () => {
    const clock = new FakeClock()
    const transport = Object.assign(new EventEmitter(), {
      bufferedAmount: 0,
      sent: 0,
      cut: false,
      send: () => void transport.sent++,
      ping() {},
      close() {},
      terminate: () => {
        transport.cut = true
      },
    })
    const counters = new BridgeCounters()
    const limits = { ...DEFAULT_LIMITS, ...LISTENER_LIMITS }
    const options = { counters, limits, clock, log: noopLogger, audiences: {} as Audiences }
    let left = 0
    const socket = pageSocket(transport, clock, limits)
    const listener = new Listener(
      socket,
      options,
      async () => {},
      () => left++,
    )
    socket.attach(listener)
    listener.play(Buffer.alloc(812))
    transport.bufferedAmount = 20_000
    listener.play(Buffer.alloc(812))
    expect([transport.sent, transport.cut]).toEqual([1, false])
    transport.bufferedAmount = 200_000
    listener.tell('{}')
    expect([transport.cut, left]).toEqual([true, 1])
  })
})
