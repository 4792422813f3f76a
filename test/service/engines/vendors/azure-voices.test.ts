import { Readable } from 'node:stream'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import { AzureSynthesizer } from '../../../../src/service/engines/vendors/azure/azure.ts'
import { bytesOf } from '../../../../src/transcode/pcm.ts'
import { conforms } from '../../../support/conformance/suite.ts'
import { synthesizerChecks } from '../../../support/conformance/synthesizer.ts'
import { FaultServer } from '../../../support/engines/fault-server.ts'
import { KEY, SERVER, survivesFaults } from '../../../support/engines/http-faults.ts'
import { sine } from '../../../support/transcode/tone.ts'

const RATE = 24_000
const VOICES: readonly string[] = ['es-ES-ElviraNeural', 'en-US-AvaMultilingualNeural']
const PATH = '/tts/cognitiveservices/v1'

/** A strict fake of Azure's voices, which speaks 40 ms for each letter, in two parts. */
class FakeAzureVoices extends FaultServer {
  readonly refusals: string[] = []
  /** What was spoken, as a reader of the SSML sees it. */
  readonly spoken: { voice: string; language: string; text: string; rate?: string }[] = []
  /** The second part of each speech waits for this. */
  gate: Promise<void> = Promise.resolve()

  constructor() {
    super()
    const parse = async (_request: unknown, body: string) => body
    this.app.addContentTypeParser('application/ssml+xml', { parseAs: 'string' }, parse)
    this.app.post(PATH, async (request, reply) => {
      const refusal = this.#refusal(request.headers, String(request.body))
      if (refusal) {
        this.refusals.push(refusal.reason)
        return reply.status(refusal.status).send()
      }
      const letters = this.spoken.at(-1)!.text.length
      const pcm = Buffer.from(bytesOf(sine(440, letters * 40, 8_000, RATE)))
      const half = (letters >> 1) * 80 * 24
      const { gate } = this
      async function* parts() {
        // An odd number of bytes: samples can be divided anywhere.
        yield pcm.subarray(0, half + 1)
        await gate
        yield pcm.subarray(half + 1)
      }
      return reply.type('audio/x-wav').send(Readable.from(parts()))
    })
  }

  #refusal(
    headers: Readonly<Record<string, unknown>>,
    body: string,
  ): { reason: string; status: number } | undefined {
    if (headers['ocp-apim-subscription-key'] !== KEY) return { reason: 'a wrong key', status: 401 }
    if (headers['x-microsoft-outputformat'] !== 'raw-24khz-16bit-mono-pcm')
      return { reason: 'another format', status: 400 }
    const agent = String(headers['user-agent'] ?? '')
    if (agent === '' || agent.length > 254) return { reason: 'no name of the client', status: 400 }
    if (XMLValidator.validate(body) !== true) return { reason: 'invalid XML', status: 400 }
    const parser = new XMLParser({ ignoreAttributes: false, trimValues: false, parseTagValue: false })
    const { speak } = parser.parse(body)
    if (speak?.['@_version'] !== '1.0' || speak['@_xmlns'] !== 'http://www.w3.org/2001/10/synthesis')
      return { reason: 'no SSML', status: 400 }
    const { voice } = speak
    if (!VOICES.includes(voice?.['@_name'])) return { reason: `the voice ${voice?.['@_name']}`, status: 400 }
    const { prosody } = voice
    const text = String((prosody ?? voice)['#text'] ?? '')
    const rate = prosody === undefined ? {} : { rate: prosody['@_rate'] }
    this.spoken.push({ voice: voice['@_name'], language: speak['@_xml:lang'], text, ...rate })
    return undefined
  }
}

const OPTIONS = {
  ...SERVER,
  speed: 1,
  voices: [
    { voice: VOICES[0]!, languages: ['es-es'], gender: 'F' as const },
    { voice: VOICES[1]!, languages: ['en-us', 'fr-fr'], gender: 'F' as const },
  ],
}
const at = (url: string, changes = {}, clock: Clock = systemClock) =>
  new AzureSynthesizer({ ...OPTIONS, url, ...changes }, clock)
const never = new AbortController().signal

async function spokenMs(engine: AzureSynthesizer, text: string, voice = 0) {
  const speech = await engine.speak(text, engine.voices[voice]!.voiceId, never)
  let samples = 0
  for await (const piece of speech.pieces) samples += piece.length
  return Math.round((samples * 1_000) / speech.rate)
}

const servers = new WeakMap<object, FakeAzureVoices>()
conforms(
  'Azure speaks',
  synthesizerChecks,
  async () => {
    const server = await new FakeAzureVoices().listen()
    const engine = at(server.url, { timeoutMs: 20_000 })
    servers.set(engine, server)
    return engine
  },
  async engine => {
    await engine.close()
    expect(servers.get(engine)?.refusals).toEqual([])
  },
)

describe('faults', () => {
  survivesFaults(
    () => new FakeAzureVoices(),
    async (url, clock) => {
      const engine = at(url, {}, clock)
      await spokenMs(engine, 'un secreto').finally(() => engine.close())
    },
    'un secreto',
  )
})

test('the first sound comes before the sentence is complete', async () => {
  const server = await new FakeAzureVoices().listen()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.gate = promise
  const engine = at(server.url, { timeoutMs: 20_000 })
  const speech = await engine.speak('buenos días', engine.voices[0]!.voiceId, never)
  const pieces = speech.pieces[Symbol.asyncIterator]()
  const first = await pieces.next()
  expect(first.value?.length).toBeGreaterThan(0)
  resolve()
  let samples = first.value!.length
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) samples += next.value.length
  expect((samples * 1_000) / speech.rate).toBe(440)
  await engine.close()
})

test('the text, the voice, its language and the rate are in the SSML', async () => {
  const server = await new FakeAzureVoices().listen()
  const engine = at(server.url, { speed: 1.25 })
  const text = 'Tom & Jerry <say> "it\'s"'
  await spokenMs(engine, text, 2)
  expect(server.spoken).toEqual([{ voice: VOICES[1], language: 'fr-FR', text, rate: '25%' }])
  await engine.close()
})

test('a wrong key is an error without the key', async () => {
  const server = await new FakeAzureVoices().listen()
  const engine = at(server.url, { apiKey: 'sk-wrong' })
  const error = await spokenMs(engine, 'hola').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'EngineError', message: 'azure: answered 401' })
  expect(String((error as Error).cause)).not.toContain('sk-wrong')
  await engine.close()
})

const HEADERS = {
  'ocp-apim-subscription-key': KEY,
  'x-microsoft-outputformat': 'raw-24khz-16bit-mono-pcm',
  'content-type': 'application/ssml+xml',
}
const SSML = (inner: string) =>
  `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="es-ES">${inner}</speak>`

test.each([
  ['no key', { ...HEADERS, 'ocp-apim-subscription-key': '' }, SSML(`<voice name="${VOICES[0]}">a</voice>`)],
  ['another format', { ...HEADERS, 'x-microsoft-outputformat': 'mp3' }, SSML('')],
  ['plain text', HEADERS, 'hola'],
  ['invalid XML', HEADERS, SSML('<voice name="a">Tom & Jerry')],
  ['an unknown voice', HEADERS, SSML('<voice name="es-ES-Nobody">a</voice>')],
])('the fake refuses %s', async (_fault, headers, body) => {
  const server = await new FakeAzureVoices().listen()
  const { status } = await fetch(server.url + PATH, { method: 'POST', headers, body })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(server.refusals).toHaveLength(1)
})
