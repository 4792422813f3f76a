import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { randomFrom } from '../../simulator/random.ts'
import type { Outbound } from '../../src/bridges/browser/protocol.ts'
import { FleetNodes } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { pause, until } from '../support/until.ts'

/** A visitor who follows their room as the page does, without audio. */
class Visitor {
  /** Paths at which they were sent elsewhere. */
  readonly followed: string[] = []
  parties = 0
  rejoin: string | undefined
  #socket: WebSocket | undefined
  readonly #url: string

  constructor(fleet: FleetNodes) {
    this.#url = fleet.proxy.url.replace('http', 'ws')
  }

  async enter(link?: string): Promise<void> {
    let path = ''
    for (let attempt = 0; attempt < 40; attempt++) {
      const next = await this.#greet(path, link)
      if (next === undefined) return
      path = next
      await pause(100)
    }
    throw new Error('not admitted')
  }

  async lost(): Promise<void> {
    if (this.#socket && this.#socket.readyState !== WebSocket.CLOSED) await once(this.#socket, 'close')
  }

  close(): void {
    this.#socket?.terminate()
  }

  /** Returns the next path to try; undefined once admitted. */
  async #greet(path: string, link: string | undefined): Promise<string | undefined> {
    const socket = new WebSocket(`${this.#url}/${path}talk/socket`)
    socket.on('error', () => {})
    socket.once('open', () =>
      socket.send(JSON.stringify({ kind: 'hello', speaks: 'en-us', hears: 'es-es', alone: 'es-es', link })),
    )
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    socket.on('message', (data, isBinary) => {
      if (isBinary) return
      const message = JSON.parse(String(data)) as Outbound
      if (message.kind === 'moved') {
        this.followed.push(message.path)
        resolve(message.path)
      } else if (message.kind === 'welcome') {
        this.#socket = socket
        this.rejoin = message.rejoin
        this.parties = message.parties.length
        resolve(undefined)
      } else if (message.kind === 'parties') this.parties = message.parties.length
    })
    socket.once('close', () => resolve(''))
    return promise
  }
}

describe.skipIf(NATS_SERVER === undefined)('visitors of a fleet', () => {
  test('meet in a room whichever node they reach, also after its node was killed', async () => {
    await using nats = await NatsServers.start()
    const settings = { browser: { access: 'anyone' } }
    await using fleet = await FleetNodes.start({ nats, settings, random: randomFrom(4) })
    const [anna, ben, cleo] = [new Visitor(fleet), new Visitor(fleet), new Visitor(fleet)]
    await anna.enter()
    expect(anna.rejoin).toMatch(/^[\w-]{20,64}$/)
    await ben.enter(anna.rejoin)
    await cleo.enter(anna.rejoin)
    await until(() => [anna, ben, cleo].every(({ parties }) => parties === 3), 10_000, 'three in one room')
    // One of them, at least, reached another node first.
    expect([...ben.followed, ...cleo.followed]).not.toEqual([])

    const home = fleet.nodes.find(({ name }) => fleet.proxy.streams.get(name) === 3)
    await home?.signal('SIGKILL')
    await Promise.all([anna, ben, cleo].map(visitor => visitor.lost()))
    await Promise.all([anna, ben, cleo].map(visitor => visitor.enter(anna.rejoin)))
    await until(() => [anna, ben, cleo].every(({ parties }) => parties === 3), 20_000, 'three together again')
    for (const visitor of [anna, ben, cleo]) visitor.close()
  })
})
