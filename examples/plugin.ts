/**
 * The Twilio bridge as a plugin of one's own Fastify server, with any server of the translation-service interface.
 *
 *   SERVICE_URL=https://translation.example.com SERVICE_KEY=… PUBLIC_URL=https://bridge.example.com \
 *   TWILIO_AUTH_TOKEN=… node examples/plugin.ts
 *
 * In a program that has installed the package, import from 'dragoman', 'dragoman/service' and 'dragoman/twilio'.
 */
import Fastify from 'fastify'
import twilioBridge from '../src/bridges/twilio/index.ts'
import { Relay, relayOptions } from '../src/index.ts'
import { ServiceTranslator } from '../src/service/index.ts'

const { SERVICE_URL = '', SERVICE_KEY = '', PUBLIC_URL = '', TWILIO_AUTH_TOKEN = '' } = process.env

const translator = new ServiceTranslator({ url: SERVICE_URL, apiKey: SERVICE_KEY })
const relay = new Relay({ translator, options: relayOptions({ leadMs: 200 }) })
relay.observer.on('caption', ({ final, text, translation }) => {
  if (final) console.log(`${text} → ${translation}`)
})

const app = Fastify()
await app.register(twilioBridge, {
  relay,
  publicUrl: PUBLIC_URL,
  authTokens: [TWILIO_AUTH_TOKEN],
  invite: call => ({ room: `call ${call.callSid}`, speaks: 'en-us', hears: 'es-es' }),
})
app.addHook('onClose', () => relay.close())
await relay.ready()
await app.listen({ host: '0.0.0.0', port: 8080 })
