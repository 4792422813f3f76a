import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { bytesOf, durationMs } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import {
  FAKE_KEY,
  type FakeConversation,
  FakeLiveServer,
  linear16,
  onlyFields,
  Refusal,
} from './fake-live-server.ts'
import { ToneEars, type ToneWord } from './tone-ears.ts'

const FIELDS = [
  ...['message_format', 'source_media_content_type', 'source_language', 'source_language_mode'],
  ...['target_languages', 'target_media_languages', 'target_media_content_type', 'target_media_voice'],
  ...['spoken_terms_id', 'glossary_id', 'formality'],
]
const RATE = 16_000
const SPOKEN_RATE = 24_000
const SPOKEN_MS = 400
/** Delay of the speech after its text (ms). */
const SPEECH_AFTER_MS = 80
/** What messages can be early because the network or the machine delayed the one before (ms). */
const SLACK_MS = 400

const refuse = (reason: string) =>
  new Refusal(reason, {
    error: {
      request_type: 'source_media_chunk',
      error_code: 400,
      reason_code: 4000403,
      error_message: reason,
    },
  })

/** A strict fake of DeepL Voice for tones: sessions, tokens that are valid once, and their connections. */
export class FakeDeepLVoice extends FakeLiveServer {
  /** The service ends a session that gets no audio for this long (ms). */
  idleMs = 30_000
  /** The requests of all sessions. */
  readonly requests: Record<string, unknown>[] = []
  /** Statuses with which the next requests over HTTP are answered. */
  readonly httpStatuses: number[] = []
  /** Glossaries of the account. */
  readonly glossaries: object[] = []
  /** Codes of errors that end a session instead of its next concluded text. */
  readonly faults: number[] = []
  readonly #sessions = new Map<string, Session>()
  #tokens = 0

  #glossary(made: unknown): object {
    onlyFields(made, ['name', 'source_lang', 'target_lang', 'entries', 'entries_format'], refuse)
    if (made.entries_format !== 'tsv' || !/^[A-Z]{2}$/.test(String(made.target_lang)))
      throw new Error('another format, or a target with a region')
    const glossary = { ...made, glossary_id: `g-${this.glossaries.length}`, ready: true }
    this.glossaries.push(glossary)
    return glossary
  }

  protected override async answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const status = this.httpStatuses.shift()
    if (status !== undefined) return { status, body: { message: 'No.' } }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake')
    if (request.headers.authorization !== `DeepL-Auth-Key ${FAKE_KEY}`) {
      this.refusals.push('a wrong key')
      return { status: 403, body: {} }
    }
    const isGlossary = pathname === '/v2/glossaries'
    if (pathname !== '/v3/voice/realtime' && !isGlossary) throw new Error(`the path ${pathname}`)
    if (request.method === 'GET')
      return isGlossary
        ? { status: 200, body: { glossaries: this.glossaries } }
        : this.#reconnect(searchParams.get('token') ?? '')
    let text = ''
    for await (const piece of request) text += String(piece)
    const settings: unknown = JSON.parse(text)
    if (isGlossary) return { status: 201, body: this.#glossary(settings) }
    assertSettings(settings)
    this.requests.push(settings)
    return { status: 200, body: this.#issue(new Session(this)) }
  }

  protected refuse({ url = '' }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (pathname !== '/v3/voice/realtime/connect') return { reason: `the path ${pathname}`, status: 404 }
    const token = searchParams.get('token') ?? ''
    const session = this.#sessions.get(token)
    if (!session || session.token !== token) return { reason: 'an unknown token', status: 403 }
    if (session.used) {
      session.end()
      return { reason: 'a token twice', status: 403 }
    }
    if (session.over) return { reason: 'a session that has ended', status: 403 }
    return undefined
  }

  protected converse(
    send: (message: object) => void,
    { url = '' }: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    const session = this.#sessions.get(new URL(url, 'ws://fake').searchParams.get('token')!)!
    return session.connected(send, socket)
  }

  /** The latest token of a session gives the next one, and ends the present connection. */
  #reconnect(token: string): { status: number; body: object } {
    const session = this.#sessions.get(token)
    if (!session || session.over) return { status: 400, body: { message: 'Session not found' } }
    if (session.token !== token) {
      this.refusals.push('an outdated token')
      session.end()
      return { status: 400, body: { message: 'Session terminated' } }
    }
    session.disconnect()
    return { status: 200, body: this.#issue(session) }
  }

  #issue(session: Session): object {
    const token = Buffer.from(`token ${++this.#tokens}+/`).toString('base64')
    session.token = token
    session.used = false
    this.#sessions.set(token, session)
    const streaming_url = `${this.url.replace('http', 'ws')}/v3/voice/realtime/connect`
    return { streaming_url, token, session_id: 'internal' }
  }
}

function assertSettings(settings: unknown): asserts settings is Record<string, unknown> {
  onlyFields(settings, FIELDS, refuse)
  const {
    source_media_content_type: source,
    target_media_content_type: spoken,
    message_format: format,
  } = settings
  if (source !== `audio/pcm;encoding=s16le;rate=${RATE}`) throw new Error(`the audio ${String(source)}`)
  if (spoken !== `audio/pcm;encoding=s16le;rate=${SPOKEN_RATE}`)
    throw new Error(`the speech ${String(spoken)}`)
  if (format !== undefined && format !== 'json') throw new Error('another format of messages')
  if (!/^[a-z]{2}$/.test(String(settings.source_language))) throw new Error('a source with a region')
  const targets = settings.target_languages as string[]
  const media = settings.target_media_languages as string[]
  if (targets.length > 5 || media.length > 1) throw new Error('too many targets')
  if ([...targets, ...media].some(each => !/^([a-z]{2}|en-(US|GB)|pt-(BR|PT)|zh-HAN[ST])$/.test(each)))
    throw new Error(`the target ${targets.join()}`)
  if (!['male', 'female'].includes(String(settings.target_media_voice ?? 'female')))
    throw new Error('another voice')
  const { formality = 'default' } = settings
  if (!['default', 'formal', 'more', 'informal', 'less'].includes(String(formality)))
    throw new Error('another formality')
}

/** A session: it goes on where it was when a connection comes back. */
class Session {
  token = ''
  used = false
  over = false
  readonly #server: FakeDeepLVoice
  readonly #ears: ToneEars
  #send: ((message: object) => void) | undefined
  #socket: WebSocket | undefined
  /** Messages for a connection that has gone. */
  #unsent: object[] = []
  #words = 0
  #idle: NodeJS.Timeout | undefined

  constructor(server: FakeDeepLVoice) {
    this.#server = server
    this.#ears = new ToneEars(RATE, {
      began: (word, ms) => this.#began(word, ms),
      ended: (word, fromMs, toMs) => this.#ended(word, fromMs, toMs),
    })
  }

  connected(send: (message: object) => void, socket: WebSocket): FakeConversation {
    this.used = true
    this.#send = send
    this.#socket = socket
    for (const message of this.#unsent.splice(0)) send(message)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#server.refusals.push('no audio for too long')
      this.end()
    }, this.#server.idleMs)
    const idle = this.#idle
    let ended = false
    let [aheadMs, at] = [0, performance.now()]
    return {
      message: message => {
        if (ended) throw refuse('a message after the end')
        if ('end_of_source_media' in message) {
          onlyFields(message, ['end_of_source_media'], refuse)
          ended = true
          this.#finish()
          return
        }
        onlyFields(message, ['source_media_chunk'], refuse)
        onlyFields(message.source_media_chunk, ['data'], refuse)
        const pcm = linear16(message.source_media_chunk.data, refuse)
        const ms = durationMs(pcm.length)
        if (ms > 1_000) throw refuse('a chunk of over a second')
        const now = performance.now()
        aheadMs = Math.max(0, aheadMs - 2 * (now - at))
        at = now
        if (aheadMs > SLACK_MS) throw refuse('audio faster than twice real time')
        aheadMs += ms
        idle.refresh()
        this.#ears.write(pcm)
      },
      closed: () => {
        clearTimeout(idle)
        if (this.#socket === socket) this.#send = undefined
      },
    }
  }

  disconnect(): void {
    this.#send = undefined
    this.#socket?.terminate()
  }

  end(): void {
    this.over = true
    this.disconnect()
  }

  #say(message: object): void {
    if (this.#send) this.#send(message)
    else this.#unsent.push(message)
  }

  #began({ word }: ToneWord, ms: number): void {
    const tentative = [
      { language: 'en', text: this.#blank + word.slice(0, 2), start_time: ms, end_time: ms + 20 },
    ]
    this.#say({ source_transcript_update: { concluded: [], tentative } })
    // Unknown messages must not disturb a client.
    this.#say({ usage_update: {} })
  }

  #ended({ word, translation, spokenHz }: ToneWord, start_time: number, end_time: number): void {
    const code = this.#server.faults.shift()
    if (code !== undefined) {
      this.over = true
      this.#say({
        error: { request_type: 'unknown', error_code: code, reason_code: code * 10_000, error_message: word },
      })
      return
    }
    const place = { start_time, end_time }
    const text = this.#blank + word
    const target = this.#blank + translation
    this.#words++
    this.#say({
      source_transcript_update: { concluded: [{ language: 'en', text, ...place }], tentative: [] },
    })
    const update = (concluded: object[], tentative: object[]) =>
      this.#say({ target_transcript_update: { language: 'es', concluded, tentative } })
    update([], [{ text: target, ...place }])
    update([{ text: target, ...place }], [])
    setTimeout(() => this.#speak(target.trim(), spokenHz), SPEECH_AFTER_MS)
  }

  /** The speech of a text in two messages, of which only the first names it. */
  #speak(text: string, hz: number): void {
    const tone = sine(hz, SPOKEN_MS, 8_000, SPOKEN_RATE)
    const [first, second] = [tone.slice(0, tone.length / 2), tone.slice(tone.length / 2)].map(pcm =>
      Buffer.from(bytesOf(pcm)).toString('base64'),
    )
    const about = { language: 'es', duration: SPOKEN_MS / 2 }
    const content_type = `audio/pcm;encoding=s16le;rate=${SPOKEN_RATE}`
    this.#say({ target_media_chunk: { ...about, content_type, headers: null, data: [first], text } })
    this.#say({ target_media_chunk: { ...about, data: [second] } })
  }

  #finish(): void {
    this.#ears.finish()
    this.over = true
    this.#say({ end_of_source_transcript: {} })
    this.#say({ end_of_target_transcript: { language: 'es' } })
    this.#say({ end_of_target_media: { language: 'es' } })
    this.#say({ end_of_stream: {} })
  }

  get #blank(): string {
    return this.#words === 0 ? '' : ' '
  }
}
