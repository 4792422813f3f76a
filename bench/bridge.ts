/** The real bridge under load: relay, service client and Twilio bridge as they are, unsigned calls from this machine. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import twilioBridge from '../src/bridges/twilio/index.ts'
import { Relay } from '../src/core/relay.ts'
import { relayOptions } from '../src/core/relay-options.ts'
import { ServiceTranslator } from '../src/service/client/service-translator.ts'
import { announce, languageOf, subjectOptions } from './subject.ts'

const { service, mode, numbers } = subjectOptions()
const translator = new ServiceTranslator({ url: service, apiKey: 'simulated-key', mode })
const relay = new Relay({ translator, options: relayOptions({ maxLegs: Math.max(1, numbers) }) })
await relay.ready()
const app = Fastify()
await app.register(twilioBridge, {
  relay,
  insecure: true,
  // Every call alone in its room: it hears its own translation, in a language that names the leg.
  invite: call => ({
    room: call.callSid,
    speaks: 'en-us',
    hears: languageOf(Number(call.to.slice(-3))),
    original: 'off',
  }),
})
await app.listen({ port: 0, host: '127.0.0.1' })
announce((app.server.address() as AddressInfo).port)
