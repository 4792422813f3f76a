/**
 * A Fastify server that stops without cutting calls: on SIGTERM it lets no new call in, waits until the calls have ended, and
 * hands those that remain over to the server that is started next, or to another one at the same public address.
 *
 *   SERVICE_URL=https://translation.example.com SERVICE_KEY=… PUBLIC_URL=https://bridge.example.com \
 *   TWILIO_AUTH_TOKEN=… DRAIN_SECONDS=600 PORT=8080 npm run example examples/graceful-shutdown.ts
 *
 * Give your process manager more time than DRAIN_SECONDS before it kills the process.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Relay, relayOptions } from 'dragoman'
import { ServiceTranslator } from 'dragoman/service'
import twilioBridge from 'dragoman/twilio'
import Fastify from 'fastify'

const { SERVICE_URL = '', SERVICE_KEY = '', PUBLIC_URL = '', TWILIO_AUTH_TOKEN = '' } = process.env
const { DRAIN_SECONDS = '600', HOST = '0.0.0.0', PORT = '8080' } = process.env

const translator = new ServiceTranslator({ url: SERVICE_URL, apiKey: SERVICE_KEY })
const relay = new Relay({ translator, options: relayOptions() })
const app = Fastify({ logger: true })
let stopping = false

await app.register(twilioBridge, {
  relay,
  publicUrl: PUBLIC_URL,
  authTokens: [TWILIO_AUTH_TOKEN],
  invite: call => ({ room: `call ${call.callId}`, speaks: 'en-us', hears: 'es-es' }),
  // New calls get 503, so that Twilio's fallback address or a load balancer gives them to another server. Calls that are
  // handed over ask for one after this time: the time that your server takes to start, if there is only one.
  departure: () => (stopping ? { elsewhere: true, resumeDelaySeconds: 4 } : undefined),
})
// For the load balancer.
app.get('/ready', (_request, reply) => reply.code(stopping ? 503 : 200).send())
app.addHook('onClose', () => relay.close())
await relay.ready()

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  const { twilio } = app
  console.log(`Waiting for ${twilio.legs.size + twilio.expected} calls`)
  const deadline = Date.now() + Number(DRAIN_SECONDS) * 1_000
  while (twilio.legs.size + twilio.expected > 0 && Date.now() < deadline) await pause(100)
  console.log(`Handing over ${twilio.legs.size} calls`)
  await twilio.handOver()
  await app.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop())
console.log(`Listening at ${await app.listen({ host: HOST, port: Number(PORT) })}`)
