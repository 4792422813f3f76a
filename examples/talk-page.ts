/**
 * The talk page as a plugin of your Fastify server: visitors talk in the browser, with any server of the
 * translation-service interface.
 *
 *   SERVICE_URL=http://127.0.0.1:4000 SERVICE_KEY=… PORT=8080 npm run example examples/talk-page.ts
 *
 * Open http://localhost:8080/talk and press Start talking. Browsers allow the microphone only for local pages and
 * https.
 */

import { Relay, relayOptions, talkCatalog } from 'dragoman'
import browserBridge from 'dragoman/browser'
import { ServiceTranslator } from 'dragoman/service'
import Fastify from 'fastify'

const { SERVICE_URL = '', SERVICE_KEY = '', HOST = '127.0.0.1', PORT = '8080' } = process.env
const service = { url: SERVICE_URL, apiKey: SERVICE_KEY }

const relay = new Relay({ translator: new ServiceTranslator(service), options: relayOptions() })
const app = Fastify({ forceCloseConnections: true })
await app.register(browserBridge, {
  relay,
  languages: { speaks: 'en-us', hears: 'es-es' },
  offer: talkCatalog(service),
  // A guest joins the room of their link, or a new one.
  invite: guest => ({ ...guest, name: guest.name ?? 'A guest' }),
  settings: { access: 'anyone', maxVisitors: 10 },
})
app.addHook('onClose', () => relay.close())
await relay.ready()
console.log(`Listening at ${await app.listen({ host: HOST, port: Number(PORT) })}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
