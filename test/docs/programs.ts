/** Instructions that turn a block of TypeScript or JavaScript into a runnable program. */
export interface Program {
  readonly page: string
  /** Text that only this block of the page has. */
  readonly mark: string
  /** Code before it: what a reader already has. */
  readonly before?: string
  /** Replacements, for example of an address. */
  readonly replace?: readonly (readonly [from: string, to: string])[]
  /** Code after it, with its assertions. */
  readonly after?: string
  /** The expected output. */
  readonly prints?: RegExp
  /** Another test that runs it, or false if parts of it are the reader’s; only its types are checked here. */
  readonly runs?: string | false
}

/** A translation service that answers tones, with lists. */
const SERVICE = `
import { ScriptedService as Scripted, tones as scriptedTones } from 'dragoman/simulator'
const LANGUAGES = [{ languageId: 'en-us', name: 'English', transcription: true, translation: ['es-es'], synthesis: true }, { languageId: 'es-es', name: 'Spanish', transcription: true, translation: ['en-us'], synthesis: true }]
const real = await Scripted.listen({
  answer: scriptedTones({ silenceMs: 200 }),
  http: (request, response) => response.end(JSON.stringify(request.url?.includes('voices') ? [] : LANGUAGES)),
})
const apiKey = real.apiKey
`
/** A bridge on this machine under the name bridge.example.com. */
const BRIDGE = `${SERVICE}
import fastify from 'fastify'
import { Relay as TheRelay, relayOptions as theOptions } from 'dragoman'
import { ServiceTranslator as Translator } from 'dragoman/service'
import bridge from 'dragoman/twilio'
const relay = new TheRelay({ translator: new Translator({ url: real.url, apiKey }), options: theOptions() })
const server = fastify()
await server.register(bridge, { relay, publicUrl: 'https://bridge.example.com', authTokens: ['token'], invite: () => ({ room: 'desk', speaks: 'en-us', hears: 'es-es' }) })
await relay.ready()
const address = await server.listen({ host: '127.0.0.1', port: 0 })
`
/** The embedded service with its real engines. */
const EMBEDDED = `
import { ServiceProcess } from 'dragoman/service/server'
import { ServiceClient as Client } from 'dragoman/service'
const running = await ServiceProcess.start({ apiKeys: ['key'] })
const client = new Client({ url: running.url ?? '', apiKey: 'key' })
`
const ASSERT = "import { ok, deepEqual } from 'node:assert/strict'\n"
const ADDRESS = ["'https://translation.example.com'", 'real.url'] as const

/** Every block of `ts` and `js`. A missing one fails. */
export const PROGRAMS: readonly Program[] = [
  {
    page: 'README.md',
    mark: 'twilioBridge, { relay, publicUrl',
    before: `${SERVICE}${ASSERT}import { placeCall, tone } from 'dragoman/simulator'
const [publicUrl, authToken] = ['https://bridge.example.com', 'token']`,
    replace: [ADDRESS],
    after: `await relay.ready()
const reached = await app.listen({ host: '127.0.0.1', port: 0 })
const call = await placeCall({ webhook: reached + '/twilio/voice', publicUrl, authToken })
void call.say(tone(700, 600, 8000), 8000)
while (!call.heard().some(sample => Math.abs(sample) > 3000)) await new Promise(resolve => setTimeout(resolve, 50))
await call.hangUp()
deepEqual(call.report().warnings, [])`,
  },
  {
    page: 'docs/design/add-a-carrier.md',
    mark: 'function acme(',
    before: `import type { CallInstructions, CarrierRequests, MediaDialect, PublicUrl, RequestVerifier } from 'dragoman/telephony'
declare const acmeMedia: MediaDialect
declare const acmeMarkup: CallInstructions
declare const acmeRequests: CarrierRequests
declare const AcmeVerifier: new (secret: string, publicUrl: () => PublicUrl) => RequestVerifier`,
    runs: false,
  },
  {
    page: 'CONTRIBUTING.md',
    mark: 'interface Admission',
    before:
      "import { type Invitation, type Leg, Relay } from 'dragoman'\nimport { FakeTranslator } from 'dragoman/simulator'\nimport { relayOptions } from 'dragoman'",
    after: 'new Relay({ translator: new FakeTranslator(), options: relayOptions() }) satisfies Admission',
  },
  {
    page: 'CONTRIBUTING.md',
    mark: 'new FakeClock()',
    before:
      "import assert from 'node:assert/strict'\nimport { RoomCodes } from 'dragoman'\nimport { FakeClock } from 'dragoman/simulator'",
  },
  {
    page: 'docs/service/client.md',
    mark: 'await client.languages()',
    before: `${SERVICE}${ASSERT}`,
    replace: [ADDRESS, ["'your-key'", 'apiKey']],
    after: 'deepEqual(await client.languages(), LANGUAGES)',
  },
  {
    page: 'docs/service/client.md',
    mark: 'of microphone)',
    before: `${SERVICE}${ASSERT}import { ServiceClient } from 'dragoman/service'
import { tone } from 'dragoman/simulator'
const client = new ServiceClient({ url: real.url, apiKey })
const played: (Uint8Array | undefined)[] = []
const play = (audio: Uint8Array | undefined) => played.push(audio)
const microphone = [tone(700, 600, 16_000), new Int16Array(16_000)]`,
    after: 'ok((played[0]?.length ?? 0) > 100)',
  },
  {
    page: 'docs/service/client.md',
    mark: "obtainVia: 'stream'",
    before: `${EMBEDDED}${ASSERT}import { createWriteStream, readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mono, readWav } from 'dragoman/transcode'
const both = { languageIdSource: 'en-us', languageIdTarget: 'es-es' } as const`,
    after: `await session.send(mono(readWav(readFileSync('speech.wav'))))
await session.finish()
await listening
ok(statSync('heard.mp3').size > 5_000)`,
  },
  {
    page: 'docs/service/client.md',
    mark: 'client.batch',
    before: `${EMBEDDED}${ASSERT}import { readFile } from 'node:fs/promises'`,
    after:
      'ok(text?.includes("young man") && translation?.includes("joven") && (audio?.length ?? 0) > 5_000)',
  },
  {
    page: 'docs/channels/browser.md',
    mark: 'browserBridge',
    before: `${SERVICE}${ASSERT}import fastify from 'fastify'
import { Relay, relayOptions } from 'dragoman'
import { ServiceTranslator } from 'dragoman/service'
const relay = new Relay({ translator: new ServiceTranslator({ url: real.url, apiKey }), options: relayOptions() })
const app = fastify()`,
    replace: [ADDRESS],
    after: `const page = await app.inject({ url: '/talk', headers: { accept: 'text/html' } })
deepEqual([page.statusCode, page.body.includes('./talk/files/bridges/browser/page/talk.js')], [200, true])
const offered = await app.inject({ url: '/talk/languages' })
ok(offered.body.includes('es-es'), offered.body)`,
  },
  {
    page: 'simulator/README.md',
    mark: 'SlashCommandBuilder',
    runs: 'test/simulator/discord/doc.slow.test.ts',
  },
  {
    page: 'docs/channels/discord.md',
    mark: 'languageCatalog(service)',
    before: `${SERVICE}${ASSERT}import { DiscordSimulator } from 'dragoman/simulator'
const discord = await DiscordSimulator.listen()
discord.addGuild({ name: 'Casa' })
const token = discord.token`,
    replace: [ADDRESS, ['{ token, relay', '{ token, apiUrl: discord.api, relay']],
    after: 'ok(app.discord.guilds !== undefined)',
    prints: /^true/m,
  },
  {
    page: 'docs/guides/add-to-your-discord-bot.md',
    mark: 'new Interpreter(',
    before: `${SERVICE}${ASSERT}import { DiscordSimulator } from 'dragoman/simulator'
const discord = await DiscordSimulator.listen()
discord.addGuild({ name: 'Casa' })`,
    replace: [
      ["{ url: 'http://127.0.0.1:4000', apiKey: 'the-key' }", '{ url: real.url, apiKey }'],
      ['GuildVoiceStates] })', 'GuildVoiceStates], rest: { api: discord.api } })'],
      ['process.env.DISCORD_TOKEN', 'discord.token'],
    ],
    after: `await interpreter.ready()
console.log((await client.application?.commands.fetch())?.map(({ name }) => name).join())
await interpreter.close()
await client.destroy()
await discord.close()
await real.close()`,
    prints: /^interpret$/m,
  },
  {
    page: 'docs/guides/add-to-your-discord-bot.md',
    mark: 'interpreter.join(voiceChannel',
    before: `import type { VoiceBasedChannel } from 'discord.js'
import type { Interpreter } from 'dragoman/discord'
declare const interpreter: Interpreter
declare const voiceChannel: VoiceBasedChannel`,
    runs: 'test/bridges/discord/interpreter.slow.test.ts',
  },
  {
    page: 'docs/guides/embed-in-fastify.md',
    mark: 'new Relay(',
    before: `${SERVICE}${ASSERT}const authToken = 'token'`,
    replace: [ADDRESS],
    after:
      "deepEqual((await app.inject({ method: 'POST', url: '/twilio/voice' })).statusCode, 403)\nawait app.close()",
  },
  {
    page: 'docs/guides/embed-in-fastify.md',
    mark: 'buildApp(',
    prints: /^http:/m,
  },
  {
    page: 'simulator/README.md',
    mark: 'FaultProxy.listen',
    before: `${SERVICE}${ASSERT}const connectTo = (url: string) => ok(url.startsWith('http://'))
let heardAll = new Int16Array(0)
const call = {
  say(pcm: Int16Array, rate: number) {
    ok(rate === 16_000)
    heardAll = pcm.filter((_sample, at) => at % 2 === 0)
  },
  heard: () => heardAll,
}`,
    replace: [["'http://127.0.0.1:4000'", 'real.url']],
    after: `deepEqual((await fetch(proxy.url + "/api/languages")).status, 200)
deepEqual(countFrames(heard, 0, 500), { lost: [], repeated: 0, late: 0, foreign: [] })`,
  },
  {
    page: 'simulator/README.md',
    mark: 'dropAt: 20',
    before: `${ASSERT}import { ServiceClient } from 'dragoman/service'
const connectTo = async (url: string, apiKey: string) => {
  const client = new ServiceClient({ url, apiKey })
  const session = await client.openSession('/stt', { languageIdSource: 'en-us' })
  for (let fragment = 0; fragment < 30; fragment++) await session.send(new Int16Array(960)).catch(() => {})
}`,
    after: 'deepEqual(session.fragments, 19)',
  },
  {
    page: 'simulator/README.md',
    mark: "readFile('hello.wav')",
    before: BRIDGE,
    replace: [
      ["'http://127.0.0.1:8080/twilio/voice'", "address + '/twilio/voice'"],
      ["'the token your server is configured with'", "'token'"],
      ["'hello.wav'", "'speech.wav'"],
      // Other work uses the cores meanwhile: another test shows that voices have no gaps.
      ['assert.equal(report.gapCount, 0)', 'assert.ok(report.gapCount < 5)'],
    ],
    after: 'assert.ok(heard.some(sample => Math.abs(sample) > 3000))',
  },
  {
    page: 'simulator/README.md',
    mark: 'placeCalls({',
    before: `${BRIDGE}${ASSERT}import { PhoneLine, placeCalls, signRequest, tone, voiceOf } from 'dragoman/simulator'
import { setTimeout as sleep } from 'node:timers/promises'
void signRequest
const webhook = address + '/twilio/voice'
const [pcm, rate] = [tone(700, 1000, 8000), 8000]`,
    replace: [
      ['count: 300', 'count: 5'],
      ['sleep(60_000)', 'sleep(1_500)'],
      ['({ webhook,', "({ webhook, publicUrl: 'https://bridge.example.com', authToken: 'token',"],
    ],
    after: 'deepEqual([live, warnings.length], [5, 0])\nvoid [gapCount, lateness, sendLateness]',
  },
  {
    page: 'simulator/README.md',
    mark: 'TwilioSimulator.listen',
    runs: 'test/simulator/doc.slow.test.ts',
  },
  {
    page: 'docs/guides/control-from-a-program.md',
    mark: 'new EventSource',
    before: `${ASSERT}import { createServer } from 'node:http'
import { EventSource } from 'eventsource'
const events = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('event: caption\\ndata: {"text":"Hello"}\\n\\n')
}).listen(0, '127.0.0.1')
await new Promise(resolve => events.once('listening', resolve))
const link = { url: 'http://127.0.0.1:' + (events.address() as { port: number }).port }
const told = Promise.withResolvers<{ text: string }>()
const show = told.resolve`,
    after: "deepEqual(await told.promise, { text: 'Hello' })",
  },
  {
    page: 'docs/guides/control-from-a-program.md',
    mark: 'isFromDragoman',
    runs: 'test/web/control/control-doc.slow.test.ts',
  },
  ...['/translator`', '/tts`', '/stt`', '/sts`'].map(mark => ({
    page: 'docs/service/protocol.md',
    mark,
    runs: 'test/service/server/contract-examples.slow.test.ts',
  })),
]
