import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type FakeConnection, FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { placeCall, ScriptedService, type SimulatedCall, tone } from '../../../simulator/index.ts'
import { type App, buildApp } from '../../../src/app/app.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import type { TranslationResult } from '../../../src/core/translation/translator.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { wakeSessions } from '../relay/hello.ts'
import { until } from '../until.ts'

/** Key of the control API. */
export const PAGES_KEY = 'a-key-for-these-pictures-only'
export const PUBLIC_URL = 'https://talk.example.com'

const PEOPLE = [
  ['John', 'en-us'],
  ['Ana', 'es-es'],
] as const
/** A translation that is not audible, so that no state follows from it. */
const SILENCE = new Int16Array(3_200)
const SPOKEN_AGO_MS = 300
const LANGUAGES = ['en-us', 'en-gb', 'es-es', 'fr-fr']

/** Writes a microphone into `folder` that hears nothing, so that only `say` speaks; returns its file. */
export async function silentMicrophone(folder: string): Promise<string> {
  const file = join(folder, 'silence.wav')
  await writeFile(file, encodeWav(new Int16Array(16_000), 16_000))
  return file
}

interface Said {
  readonly soundMs?: number
  /** The language of the translation; default: the newest one. */
  readonly to?: LanguageId
}

/** A server with all pages, whose translations are what `say` is given. */
export class PageServer implements AsyncDisposable {
  readonly address: string
  readonly translator: FakeTranslator
  readonly #app: App
  readonly #service: ScriptedService
  #calls: SimulatedCall[] = []
  #said = 0

  private constructor(app: App, service: ScriptedService, address: string, translator: FakeTranslator) {
    this.#app = app
    this.#service = service
    this.address = address
    this.translator = translator
  }

  /** With `publicUrl`, invitations are for others; without, they work on this machine only. */
  static async listen({ publicUrl }: { readonly publicUrl?: string } = {}): Promise<PageServer> {
    const translator = new FakeTranslator()
    const service = await ScriptedService.listen({ http: offer })
    const app = await buildApp(
      {
        host: '127.0.0.1',
        port: 0,
        service: { url: service.url, apiKey: service.apiKey },
        languages: { speaks: 'en-us', hears: 'es-es' },
        control: { keys: [{ name: 'pictures', key: PAGES_KEY }] },
        twilio: { authToken: [], insecure: true, numbers: { '+15550000001': { roomCode: true } } },
        ...(publicUrl === undefined ? {} : { publicUrl }),
      },
      { translator },
    )
    return new PageServer(app, service, await app.listen(), translator)
  }

  /** A token for the room `desk`. */
  async invitation(): Promise<string> {
    return await this.#app.server.browser.links.issue('desk', 600_000)
  }

  /** The path of a link for listening to the room `desk`. */
  async listening(): Promise<string> {
    return `/listen#join=${await this.#app.server.browser.listenLinks.issue('desk', 600_000)}`
  }

  /** The languages in which somebody listens to the room `desk`. */
  get audiences(): readonly LanguageId[] {
    return (this.#app.relay.rooms.get('desk')?.audiences ?? []).map(({ language }) => language)
  }

  /** Cuts everyone off who listens; the pages return. */
  cutListeners(): void {
    this.#app.server.browser.releaseRooms(new Set(['desk']))
  }

  /** Revokes all such links. */
  async revokeListening(): Promise<void> {
    await this.#app.server.browser.listenLinks.revokeAll('desk')
  }

  /** John, who speaks English, and Ana, who speaks Spanish, or those of them with `names`, call the room `desk`. */
  async callIn(names: readonly string[] = ['John', 'Ana']): Promise<void> {
    for (const [name, speaks] of PEOPLE.filter(([name]) => names.includes(name))) {
      const query = new URLSearchParams({ room: 'desk', name, speaks, hears: speaks })
      this.#calls.push(
        await placeCall({ webhook: `${this.address}/twilio/voice?${query}`, allowInsecureStream: true }),
      )
    }
  }

  /** Everyone hangs up; so do visitors whose page was closed, for whom the server would wait. */
  async hangUp(): Promise<void> {
    const calls = this.#calls
    this.#calls = []
    for (const call of calls) await call[Symbol.asyncDispose]()
    for (const room of this.#app.relay.rooms.values()) await room.close({ kind: 'hangup', by: 'local' })
  }

  /**
   * The newest speaker of `from` said `text`. Without `translation` it is not translated yet; with `soundMs`, the
   * translation is audible for this long.
   */
  async say(
    from: LanguageId,
    text: string,
    { soundMs, to, ...result }: Partial<TranslationResult> & Said = {},
  ): Promise<void> {
    const speaks = ({ request, closed }: FakeConnection) =>
      request.from === from && (to === undefined || request.to === to) && !closed
    const { sink, sent } = await until(
      () => {
        wakeSessions(this.#app.relay, systemClock.now())
        return this.translator.connections.findLast(speaks)
      },
      5_000,
      from,
    )
    // Speech ended shortly before: latency counts from here.
    const endMs = Math.max(0, sent.reduce((sum, { bytes }) => sum + bytes.length / 32, 0) - SPOKEN_AGO_MS)
    // A translation without audio would count as a failure of the service.
    const voice = soundMs === undefined ? SILENCE : tone(440, soundMs)
    const audio = result.translation === undefined ? {} : { audio: bytesOf(voice) }
    sink.result({ utterance: `${++this.#said}`, text, final: true, endMs, ...audio, ...result })
  }

  /** The translation service fails from now on, while the callers speak. */
  stop(): void {
    this.translator.refuse = {
      kind: 'failed',
      error: new BridgeError('SERVICE_UNREACHABLE', 'the service does not respond', { retryable: true }),
    }
    for (const connection of this.translator.connections) connection.drop(this.translator.refuse)
    for (const call of this.#calls) void call.say(tone(440, 20_000), 16_000)
  }

  /** The page for a browser in `language` that opened the server at another `host`. */
  async rejected(
    host: string,
    language: string,
  ): Promise<{ status: number; contentType: string; body: string }> {
    return await new Promise((resolve, reject) => {
      const headers = { host, accept: 'text/html', 'accept-language': language }
      request(this.address, { headers }, async response => {
        const chunks = await response.toArray()
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks as Buffer[]).toString(),
        })
      })
        .on('error', reject)
        .end()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangUp()
    await this.#app.close()
    await this.#service.close()
  }
}

/** What the service offers. The tests request nothing else from it. */
function offer({ url = '' }: { readonly url?: string }, response: { end(text: string): unknown }): void {
  const languages = LANGUAGES.map(languageId => ({
    languageId,
    name: languageId,
    transcription: true,
    translation: LANGUAGES.filter(each => each !== languageId),
    synthesis: true,
  }))
  response.end(JSON.stringify(url.startsWith('/api/voices') ? [] : languages))
}
