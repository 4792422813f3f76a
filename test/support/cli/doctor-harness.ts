import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SelfSigned } from '../../../simulator/discord/voice/certificate.ts'
import { ScriptedService, tones } from '../../../simulator/index.ts'
import { type App, buildApp } from '../../../src/app/app.ts'
import { type Config, loadConfig } from '../../../src/app/settings/load.ts'
import type { Check } from '../../../src/cli/doctor/check.ts'
import { type EndToEndOptions, endToEnd } from '../../../src/cli/doctor/end-to-end.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { type ProxyFaults, TlsProxy } from '../tls-proxy.ts'
import { sine } from '../transcode/tone.ts'

/** The server’s public host name, which does not resolve: the doctor gets the proxy’s address by option. */
export const HOST = 'bridge.dragoman.example'
export const TOKEN = '0123456789abcdef0123456789abcdef'

export type Overrides = NonNullable<NonNullable<Parameters<typeof loadConfig>[0]>['overrides']>

/** A certificate for `HOST`, trusted by the test. */
export const good = new SelfSigned({ hosts: [HOST] })

/** The lists of a service that translates English into Spanish. */
export const catalog: RequestListener = (request, response) => {
  const voice = { name: 'One', voiceGender: 'F', voiceEngine: 'standard', modes: ['block', 'streaming'] }
  const lists: Readonly<Record<string, object>> = {
    '/api/languages': [
      { languageId: 'en-us', name: 'English', transcription: true, translation: ['es-es'], synthesis: true },
      { languageId: 'es-es', name: 'Spanish', transcription: false, translation: ['en-us'], synthesis: true },
    ],
    '/api/voices': ['en-us', 'es-es'].map(languageId => ({
      ...voice,
      languageId,
      voiceId: `${languageId}-1`,
    })),
  }
  const isKnown = request.headers['x-api-key'] === 'simulated-key'
  const refused = { code: 'unauthorized', error: 'key_wrong', description: 'no' }
  response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
  response.end(JSON.stringify(isKnown ? (lists[request.url ?? ''] ?? {}) : refused))
}

/** A running server behind a proxy, with a service that responds with tones. */
export class Place implements AsyncDisposable {
  /** Its own folder; transcripts are stored there. */
  readonly folder: string
  readonly service: ScriptedService
  readonly app: App
  readonly proxy: TlsProxy
  readonly port: number

  private constructor(folder: string, service: ScriptedService, app: App, proxy: TlsProxy, port: number) {
    this.folder = folder
    this.service = service
    this.app = app
    this.proxy = proxy
    this.port = port
  }

  static async open(
    faults: ProxyFaults,
    server: Overrides = {},
    answer = tones(),
    signed = good,
  ): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-doctor-'))
    await writeFile(join(folder, 'said.wav'), encodeWav(sine(600, 700), 16_000))
    const service = await ScriptedService.listen({ answer, http: catalog })
    const app = await buildApp(
      settings({
        port: 0,
        stateFile: join(folder, 'dragoman.db'),
        service: { url: service.url, apiKey: service.apiKey },
        ...server,
      }),
    )
    const port = Number(new URL(await app.listen()).port)
    return new Place(folder, service, app, await TlsProxy.listen(signed, () => port, faults), port)
  }

  /** The doctor’s findings with the settings of the server and `overrides`. */
  examine(
    options: EndToEndOptions = {},
    others: readonly Check[] = [],
    own: Overrides = {},
  ): Promise<Check[]> {
    const { url, apiKey } = this.service
    const config = settings({ port: this.port, service: { url, apiKey }, ...own })
    const audio = join(this.folder, 'said.wav')
    const call = { audio, patienceMs: 2_500, connectTo: this.proxy.address, ...options }
    return endToEnd(config, call, others)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]()
    await this.app.close()
    await this.service.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Settings of a public server with an account. */
export function settings(overrides: Overrides): Config {
  const usual: Overrides = { host: '127.0.0.1', publicUrl: `https://${HOST}`, twilio: { authToken: TOKEN } }
  return loadConfig({ env: {}, overrides: { ...usual, ...overrides } })
}
