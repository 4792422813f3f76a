// An external program with the package installed: bridges in apps of every kind, each called by a phone and opened by a page.
import { createRequire } from 'node:module'
import websocket from '@fastify/websocket'
import { Relay, relayOptions } from 'dragoman'
import browserBridge from 'dragoman/browser'
import { ServiceTranslator } from 'dragoman/service'
import { placeCall } from 'dragoman/simulator'
import twilioBridge from 'dragoman/twilio'
import Fastify from 'fastify'

const PUBLIC_URL = 'https://host.example'
const TOKEN = 'token'
const HTML = { headers: { accept: 'text/html' } }
const TONE = Int16Array.from({ length: 4_000 }, (_, n) => 8_000 * Math.sin((2 * Math.PI * 400 * n) / 8_000))

/** Says back what it hears. */
const echo = {
  admit: leg => leg.attach({ write: frame => leg.play(frame), marked() {}, dtmf() {} }),
}

async function host({ prefix = '', within = '', sockets = 'none', own = 'none', log }) {
  const app = Fastify({ forceCloseConnections: true, ...(log && { logger: { stream: log } }) })
  const relay = new Relay({
    translator: new ServiceTranslator({ url: 'http://127.0.0.1:9', apiKey: 'key' }),
    options: relayOptions(),
  })
  const page = () => app.get('/', async () => 'mine')
  const ws = () => app.register(websocket)
  if (own === 'before') page()
  if (sockets === 'before') await ws()
  const bridges = async scope => {
    const common = prefix === '' ? {} : { prefix }
    await scope.register(twilioBridge, {
      ...{ ...common, relay: echo, publicUrl: PUBLIC_URL, authTokens: [TOKEN] },
      invite: call => ({ room: call.callId, speaks: 'en-us', hears: 'es-es' }),
    })
    await scope.register(browserBridge, {
      ...{ ...common, relay, languages: { speaks: 'en-us', hears: 'es-es' } },
      offer: async () => ({ languages: [], voices: [] }),
    })
  }
  if (within === '') await bridges(app)
  else await app.register(bridges, { prefix: within })
  if (sockets === 'after') await ws()
  if (own === 'after') page()
  app.addHook('onClose', () => relay.close())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, address, mount: within + prefix }
}

/** The share of a caller's speech that they hear back. */
async function calls(address, mount) {
  await using call = await placeCall({
    webhook: `${address}${mount}/twilio/voice`,
    publicUrl: PUBLIC_URL,
    authToken: TOKEN,
  })
  await call.say(TONE)
  await call.quietFor(300)
  await call.hangUp()
  const { errors, warnings } = call.report()
  const loud = call.heard().reduce((count, sample) => count + (Math.abs(sample) > 2_000 ? 1 : 0), 0)
  return { complaints: [...errors, ...warnings].length, heard: loud > 0.6 * TONE.length }
}

/** Broken links of the talk page. */
async function deadLinks(address, mount) {
  const url = `${address}${mount}/talk`
  const html = await (await fetch(url, HTML)).text()
  const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => new URL(link, url).href)
  links.push(new URL('talk/languages', url).href)
  const dead = []
  for (const link of links) if ((await fetch(link, HTML)).status !== 200) dead.push(link)
  return { links: links.length, dead }
}

const MATRIX = []
for (const sockets of ['none', 'before', 'after'])
  for (const [within, prefix] of [
    ['', ''],
    ['', '/calls'],
    ['/api', '/calls'],
  ])
    MATRIX.push({ sockets, within, prefix, own: sockets === 'before' ? 'before' : 'after' })

const results = await Promise.all(
  MATRIX.map(async options => {
    const { app, address, mount } = await host(options)
    try {
      const found = { ...(await calls(address, mount)), ...(await deadLinks(address, mount)) }
      const root = await (await fetch(address, HTML)).text()
      return { ...options, ...found, root }
    } finally {
      await app.close()
    }
  }),
)

/** Invalid options and missing packages are reported at once. */
async function failure(work) {
  try {
    await work()
    return undefined
  } catch (error) {
    return { code: error.code, message: error.message }
  }
}
const wrong = await failure(() => Fastify().register(twilioBridge, { relay: echo, publicURL: PUBLIC_URL }))
const discord = await failure(() => import('dragoman/discord'))

const { version } = createRequire(import.meta.url)('fastify/package.json')
console.log(JSON.stringify({ version, results, wrong, discord }))
process.exit()
