import Fastify from 'fastify'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import browserBridge, {
  type BrowserBridgeOptions,
  type ServiceCatalog,
} from '../../../src/bridges/browser/index.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { LogLines } from '../log-lines.ts'
import { Talker } from './page-client.ts'

export const OFFER: ServiceCatalog = {
  languages: [
    { id: 'en-us', name: 'English', heard: true, spoken: true, into: ['es-es'] },
    { id: 'es-es', name: 'Spanish', heard: true, spoken: true, into: ['en-us'] },
    { id: 'fr-fr', name: 'French', heard: false, spoken: true, into: [] },
  ],
  voices: [
    { id: 'es-f', name: 'Eva', language: 'es-es', gender: 'F' },
    { id: 'en-m', name: 'Tom', language: 'en-us', gender: 'M' },
  ],
}

/** The bridge on a real server, with a relay whose service and clock the test controls. */
export async function browserServer(options: Partial<BrowserBridgeOptions> = {}) {
  const clock = new FakeClock(1_000)
  const translator = new FakeTranslator()
  const log = new LogLines()
  const relay = new Relay({
    translator,
    options: relayOptions({ normalizeLoudness: false }),
    clock,
    log,
    random: () => 0.5,
  })
  await relay.ready()
  const codes = new RoomCodes(clock)
  const server = Fastify({ forceCloseConnections: true })
  await server.register(browserBridge, {
    ...{ relay, clock, log, roomCodes: codes },
    languages: { speaks: 'en-us', hears: 'es-es' },
    offer: async () => OFFER,
    path: '/',
    ...options,
  })
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const talkers: Talker[] = []
  const talker = async (headers: Record<string, string> = {}) => {
    const one = await Talker.open(address, headers)
    talkers.push(one)
    return one
  }
  return {
    ...{ server, address, relay, translator, clock, log, codes, talker },
    bridge: server.browser,
    /** Advances the clock by `ms`, tick by tick, delivering pending messages in between. */
    run: async (ms: number) => {
      for (let t = 0; t < ms; t += 20) {
        clock.advance(20)
        await new Promise(resolve => setImmediate(resolve))
      }
    },
    async close() {
      for (const { socket } of talkers) socket.terminate()
      await relay.close()
      await server.close()
    },
  }
}
