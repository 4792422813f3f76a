import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { EngineError } from '../engine.ts'
import type { ServerVoice } from '../fields.ts'
import type { HttpAnswer } from '../wire/http-client.ts'
import { EngineHttp, HttpFault } from '../wire/http-client.ts'
import { HttpSynthesizer, SpokenAnswer } from '../wire/http-synthesizer.ts'
import type { PiperOptions } from './remote-settings.ts'

/** The server has no limit; a request of this length takes some seconds. */
const MOST_LETTERS = 4_096

const voicesSchema = z.record(z.string(), z.unknown())

/** Piper's HTTP server: WAV at `POST /synthesize`, at `/` in older releases. */
export class Piper extends HttpSynthesizer {
  readonly #options: PiperOptions
  #path: '/synthesize' | '/'

  private constructor(options: PiperOptions, clock: Clock) {
    super({ name: 'piper', prefix: 'piper', mostLetters: MOST_LETTERS }, options, clock)
    this.#options = options
    this.#path = options.legacy ? '/' : '/synthesize'
  }

  /**
   * Requests the voices of the server and offers those of the settings that it has; without a response, all of them.
   */
  static async create(options: PiperOptions, clock: Clock): Promise<Piper> {
    const known = options.legacy ? undefined : await voicesOf(options, clock)
    const voices = options.voices.filter(({ voice }) => known?.has(voice) ?? true)
    if (voices.length === 0)
      throw new EngineError(
        'synthesis',
        'piper',
        `has none of the ${options.voices.length} voices of the settings`,
      )
    return new Piper({ ...options, voices }, clock)
  }

  protected async ask(text: string, voice: ServerVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    return new SpokenAnswer(await this.#send(text, voice, signal), 'wav', 0)
  }

  async #send(text: string, { voice }: ServerVoice, signal: AbortSignal): Promise<HttpAnswer> {
    const { legacy, speed } = this.#options
    const request = legacy
      ? { body: text, type: 'text/plain; charset=utf-8', signal }
      : { json: { text, voice, length_scale: 1 / speed }, signal }
    try {
      return await this.http.open(this.#path, request)
    } catch (error) {
      const { status } = error instanceof EngineError && error.cause instanceof HttpFault ? error.cause : {}
      if (this.#path === '/' || (status !== 404 && status !== 405)) throw error
      const answer = await this.http.open('/', request)
      this.#path = '/'
      return answer
    }
  }
}

async function voicesOf(options: PiperOptions, clock: Clock): Promise<ReadonlySet<string> | undefined> {
  const http = new EngineHttp('synthesis', 'piper', options, clock)
  try {
    const parsed = voicesSchema.safeParse(await http.json('/voices', { method: 'GET' }))
    return parsed.success ? new Set(Object.keys(parsed.data)) : undefined
  } catch {
    return undefined
  } finally {
    http.close()
  }
}
