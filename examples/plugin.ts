/**
 * The Twilio bridge as a plugin of your Fastify server, with any server of the translation-service interface.
 *
 *   SERVICE_URL=https://translation.example.com SERVICE_KEY=… PUBLIC_URL=https://bridge.example.com \
 *   TWILIO_AUTH_TOKEN=… PORT=8080 npm run example examples/plugin.ts
 *
 * Point a number's webhook at PUBLIC_URL/twilio/voice; callers hear their own words in Spanish.
 */

import { Relay, relayOptions } from 'dragoman'
import { ServiceTranslator } from 'dragoman/service'
import twilioBridge from 'dragoman/twilio'
import Fastify from 'fastify'

const { SERVICE_URL = '', SERVICE_KEY = '', PUBLIC_URL = '', TWILIO_AUTH_TOKEN = '' } = process.env
const { HOST = '0.0.0.0', PORT = '8080' } = process.env

const translator = new ServiceTranslator({ url: SERVICE_URL, apiKey: SERVICE_KEY })
const relay = new Relay({ translator, options: relayOptions({ leadMs: 200 }) })
relay.observer.on('caption', ({ final, text, translation }) => {
  if (final) console.log(`${text} → ${translation}`)
})

const app = Fastify({ logger: true })
await app.register(twilioBridge, {
  relay,
  publicUrl: PUBLIC_URL,
  authTokens: [TWILIO_AUTH_TOKEN],
  invite: call => ({ room: `call ${call.callId}`, speaks: 'en-us', hears: 'es-es' }),
})
app.addHook('onClose', () => relay.close())
await relay.ready()
console.log(`Listening at ${await app.listen({ host: HOST, port: Number(PORT) })}`)
// Ends every call, then the service.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
