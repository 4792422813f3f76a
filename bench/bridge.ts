/** The real bridge under load: relay, service client and Twilio bridge unchanged, unsigned calls from this machine. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import twilioBridge from '../src/bridges/phone/twilio/index.ts'
import { relayOptions } from '../src/core/model/relay-settings.ts'
import { Relay } from '../src/core/room/relay.ts'
import { ServiceTranslator } from '../src/service/client/translator.ts'
import { announce, languageOf, spokenBy, subjectOptions } from './subject.ts'

const { service, mode, numbers, pairs, original } = subjectOptions()
const translator = new ServiceTranslator({ url: service, apiKey: 'simulated-key', mode })
const relay = new Relay({ translator, options: relayOptions({ maxLegs: Math.max(1, numbers) }) })
await relay.ready()
const app = Fastify()
await app.register(twilioBridge, {
  relay,
  insecure: true,
  // Alone in its room a call hears its own translation, in a language that identifies the leg; so does each of a pair.
  invite: call => {
    const index = Number(call.to.slice(-3))
    const hears = languageOf(index)
    return pairs
      ? { room: `pair ${index >> 1}`, speaks: spokenBy(index), hears, original }
      : { room: call.callId, speaks: 'en-us', hears, original }
  },
})
await app.listen({ port: 0, host: '127.0.0.1' })
announce((app.server.address() as AddressInfo).port)
