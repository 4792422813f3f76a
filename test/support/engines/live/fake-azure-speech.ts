import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { samplesOf } from '../../../../src/transcode/pcm.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, onlyFields, Refusal } from './fake-live-server.ts'
import { ToneEars } from './tone-ears.ts'

const RATE = 16_000
const TICKS_PER_MS = 10_000
const TOKEN = 'a-short-lived-token'
const QUERY = [
  ...['language', 'format', 'Authorization', 'X-ConnectionId', 'connectionId', 'lidEnabled'],
  'segmentationSilenceTimeoutMs',
]

const refuse = (reason: string) => new Refusal(reason, {}, 1007)

/** A message in the framing of the SDK (version 1.52): lines of headers, an empty line, and a body. */
interface Framed {
  readonly path: string
  readonly request: string
  readonly body: Record<string, unknown>
}

/**
 * A strict fake of Azure Speech for its SDK: tokens for the key, and the recognition of tones. The framing is that of
 * the SDK's own sources, because it is not documented.
 */
export class FakeAzureSpeech extends FakeLiveServer {
  /** The `speech.context` messages of all sessions. */
  readonly contexts: Record<string, unknown>[] = []
  /** Tokens that were handed out. */
  tokens = 0

  protected override async answer({ method, url, headers }: IncomingMessage) {
    if (method !== 'POST' || url !== '/sts/v1.0/issueToken') throw new Error(`a request of ${url}`)
    if (headers['ocp-apim-subscription-key'] !== FAKE_KEY) return { status: 401, body: {} }
    this.tokens++
    return { status: 200, body: TOKEN }
  }

  protected refuse({ url = '' }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (pathname !== '/stt/speech/universal/v2') return { reason: `the path ${pathname}`, status: 404 }
    if (searchParams.get('Authorization') !== `Bearer ${TOKEN}`)
      return { reason: 'a wrong token', status: 401 }
    const unknown = [...searchParams.keys()].find(name => !QUERY.includes(name))
    if (unknown !== undefined) return { reason: `the parameter ${unknown}`, status: 400 }
    const language = searchParams.get('language')
    if (language !== null && !/^[a-z]{2}-[A-Z]{2}$/.test(language))
      return { reason: `the language ${language}`, status: 400 }
    if (!/^[0-9A-F]{32}$/i.test(searchParams.get('X-ConnectionId') ?? ''))
      return { reason: 'no id of the connection', status: 400 }
    return undefined
  }

  protected override read(text: string): Record<string, unknown> {
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) throw refuse('a message without headers')
    const headers = headersOf(text.slice(0, end))
    const { path = '', 'x-requestid': request = '' } = headers
    if (!/^[0-9A-F]{32}$/i.test(request)) throw refuse('a message without the id of its request')
    return { path, request, body: JSON.parse(text.slice(end + 4)) } satisfies Framed
  }

  protected converse(_send: unknown, _request: IncomingMessage, socket: WebSocket): FakeConversation {
    return new Recognition(text => socket.send(text), this.contexts)
  }
}

function headersOf(lines: string): Record<string, string> {
  const pairs = lines.split('\r\n').filter(line => line !== '')
  return Object.fromEntries(
    pairs.map(line => {
      const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
      if (name === '') throw refuse('a header without a name')
      return [name.toLowerCase(), value]
    }),
  )
}

/** One connection: `speech.config`, `speech.context`, a WAV header, then samples. */
class Recognition implements FakeConversation {
  readonly #send: (text: string) => void
  readonly #contexts: Record<string, unknown>[]
  readonly #ears: ToneEars
  #stage: 'config' | 'context' | 'header' | 'audio' | 'ended' = 'config'
  #request = ''
  #detects = false

  constructor(send: (text: string) => void, contexts: Record<string, unknown>[]) {
    this.#send = send
    this.#contexts = contexts
    this.#ears = new ToneEars(RATE, {
      began: ({ word }, ms) => {
        this.#tell('speech.startDetected', { Offset: ms * TICKS_PER_MS })
        this.#tell('speech.hypothesis', this.#heard({ Text: word.slice(0, 2) }, ms, ms + 100))
      },
      ended: ({ word }, fromMs, toMs) =>
        this.#tell(
          'speech.phrase',
          this.#heard({ RecognitionStatus: 'Success', DisplayText: word }, fromMs, toMs),
        ),
    })
  }

  message(message: Record<string, unknown>): void {
    const { path, request, body } = message as unknown as Framed
    if (path === 'speech.config' && this.#stage === 'config') {
      onlyFields(body, ['context'], refuse)
      onlyFields(body.context, ['system'], reason => refuse(`${reason}: telemetry`))
      this.#stage = 'context'
    } else if (path === 'speech.context' && this.#stage === 'context') {
      this.#context(body)
      this.#request = request
      this.#stage = 'header'
    } else throw refuse(`${path} when ${this.#stage} is due`)
  }

  binary(data: Buffer): void {
    const length = data.readUInt16BE(0)
    const headers = headersOf(data.toString('latin1', 2, 2 + length))
    const audio = data.subarray(2 + length)
    if (headers.path !== 'audio' || headers['x-requestid'] !== this.#request)
      throw refuse('audio of another request')
    if (this.#stage === 'header') {
      if (headers['content-type'] !== 'audio/x-wav' || audio.toString('latin1', 0, 4) !== 'RIFF')
        throw refuse('audio without a WAV header')
      if (audio.readUInt32LE(24) !== RATE || audio.readUInt16LE(34) !== 16) throw refuse('another format')
      this.#stage = 'audio'
      this.#tell('turn.start', { context: { serviceTag: 'tag' } })
      return
    }
    if (this.#stage !== 'audio') throw refuse(`audio when ${this.#stage} is due`)
    if (audio.length % 2 !== 0) throw refuse('half a sample')
    if (audio.length > 0) {
      this.#ears.write(samplesOf(new Uint8Array(audio)).slice())
      return
    }
    this.#stage = 'ended'
    this.#ears.finish()
    this.#tell('turn.end', {})
  }

  #context(context: Record<string, unknown>): void {
    onlyFields(context, ['phraseDetection', 'phraseOutput', 'dgi', 'languageId'], refuse)
    const { phraseDetection, languageId } = context
    const detection = phraseDetection as {
      language?: string
      mode?: string
      conversation?: { segmentation?: { segmentationSilenceTimeoutMs?: number } }
    }
    this.#detects = languageId !== undefined
    if ((detection.language === undefined) !== this.#detects) throw refuse('no language, or two ways of it')
    const pauseMs = detection.conversation?.segmentation?.segmentationSilenceTimeoutMs ?? 0
    if (!(pauseMs >= 100 && pauseMs <= 5_000)) throw refuse(`a pause of ${pauseMs} ms`)
    this.#contexts.push(context)
  }

  #heard(fields: object, fromMs: number, toMs: number): object {
    const language = { PrimaryLanguage: { Language: 'en-US', Confidence: 'High' } }
    return {
      Id: 'p',
      ...fields,
      Offset: fromMs * TICKS_PER_MS,
      Duration: (toMs - fromMs) * TICKS_PER_MS,
      Channel: 0,
      ...(this.#detects ? language : {}),
    }
  }

  #tell(path: string, body: object): void {
    const type = 'Content-Type:application/json; charset=utf-8'
    this.#send(`X-RequestId:${this.#request}\r\n${type}\r\nPath:${path}\r\n\r\n${JSON.stringify(body)}`)
  }
}
