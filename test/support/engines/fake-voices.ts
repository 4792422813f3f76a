import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { sine } from '../transcode/tone.ts'
import { FaultServer } from './fault-server.ts'
import { KEY } from './http-faults.ts'

const RATE = 24_000
/** Length of a spoken letter (ms). */
export const MS_PER_LETTER = 40

/** Speech of `text`: 440 Hz, 40 ms for each letter. */
function lettersSpoken(text: string): Buffer {
  const { buffer, byteOffset, byteLength } = bytesOf(sine(440, text.length * MS_PER_LETTER, 8_000, RATE))
  return Buffer.from(buffer, byteOffset, byteLength)
}

type Refusal = { readonly reason: string; readonly status: number }
const wrong = (reason: string, status = 400): Refusal => ({ reason, status })

/** A strict fake of a voice over HTTP, which speaks in two parts. */
export abstract class FakeVoices extends FaultServer {
  readonly refusals: string[] = []
  /** The second part of each speech waits for this. */
  gate: Promise<void> = Promise.resolve()
  /** Number of speeches at the same time, now and at most. */
  #speaking = 0
  mostSpeaking = 0

  protected constructor(path: string, type: string) {
    super()
    this.app.post(path, async (request, reply) => {
      const refusal = this.refusal(request)
      if (refusal) {
        this.refusals.push(refusal.reason)
        return reply.status(refusal.status).send()
      }
      const pcm = lettersSpoken(this.textOf(request.body as Record<string, unknown>))
      return reply.type(type).send(Readable.from(this.#parts(pcm)))
    })
  }

  protected abstract refusal(request: FastifyRequest): Refusal | undefined
  protected abstract textOf(body: Record<string, unknown>): string

  async *#parts(pcm: Buffer) {
    this.mostSpeaking = Math.max(this.mostSpeaking, ++this.#speaking)
    try {
      // An odd number of bytes: samples can be divided anywhere.
      const half = (pcm.length >> 2) * 2 + 1
      yield pcm.subarray(0, half)
      await this.gate
      yield pcm.subarray(half)
    } finally {
      this.#speaking--
    }
  }
}

/** Returns the first field of `body` that is none of `allowed`. */
function unknownField(body: unknown, allowed: readonly string[]): string | undefined {
  return Object.keys(body as object).find(name => !allowed.includes(name))
}

export class FakeCartesia extends FakeVoices {
  static readonly voice = 'a0e99841-438c-4a64-b679-ae501e7d6091'

  constructor() {
    super('/tts/bytes', 'application/octet-stream')
  }

  protected textOf({ transcript }: Record<string, unknown>): string {
    return String(transcript)
  }

  protected refusal({ headers, body }: FastifyRequest): Refusal | undefined {
    if (headers['x-api-key'] !== KEY) return wrong('a wrong key', 401)
    if (!/^\d{4}-\d\d-\d\d$/.test(String(headers['cartesia-version']))) return wrong('no version')
    const fields = ['model_id', 'transcript', 'voice', 'language', 'output_format', 'speed']
    const unknown = unknownField(body, fields)
    if (unknown !== undefined) return wrong(`the unknown field ${unknown}`)
    const { model_id, voice, language, output_format } = body as Record<string, unknown>
    if (model_id !== 'sonic-3.5') return wrong('another model')
    if (JSON.stringify(voice) !== JSON.stringify({ mode: 'id', id: FakeCartesia.voice }))
      return wrong('an unknown voice')
    if (!/^[a-z]{2}$/.test(String(language))) return wrong('another language')
    const expected = { container: 'raw', encoding: 'pcm_s16le', sample_rate: RATE }
    return JSON.stringify(output_format) === JSON.stringify(expected) ? undefined : wrong('another format')
  }
}

export class FakeElevenLabs extends FakeVoices {
  static readonly voice = 'JBFqnCBsd6RMkjVDRZzb'

  constructor() {
    super('/v1/text-to-speech/:voice/stream', 'audio/pcm')
  }

  protected textOf({ text }: Record<string, unknown>): string {
    return String(text)
  }

  protected refusal({ headers, body, params, query }: FastifyRequest): Refusal | undefined {
    if (headers['xi-api-key'] !== KEY) return wrong('a wrong key', 401)
    if ((params as { voice: string }).voice !== FakeElevenLabs.voice) return wrong('an unknown voice', 404)
    if (JSON.stringify(query) !== JSON.stringify({ output_format: `pcm_${RATE}` }))
      return wrong('another format')
    const unknown = unknownField(body, ['text', 'model_id', 'language_code', 'voice_settings'])
    if (unknown !== undefined) return wrong(`the unknown field ${unknown}`)
    return (body as { model_id?: string }).model_id === 'eleven_flash_v2_5'
      ? undefined
      : wrong('another model')
  }
}

/** Why Soniox would refuse a speech; undefined if it would not. */
export function sonioxRefusal(authorization: string | undefined, body: unknown): Refusal | undefined {
  if (authorization !== `Bearer ${KEY}`) return wrong('a wrong key', 401)
  const unknown = unknownField(body, ['model', 'language', 'voice', 'audio_format', 'sample_rate', 'text'])
  if (unknown !== undefined) return wrong(`the unknown field ${unknown}`)
  const { model, language, voice, audio_format, sample_rate, text } = body as Record<string, unknown>
  if (model !== 'tts-rt-v2') return wrong('another model')
  if (!['en', 'es', 'de'].includes(String(language))) return wrong(`the language ${String(language)}`)
  if (!['Adrian', 'Maya'].includes(String(voice))) return wrong(`the voice ${String(voice)}`)
  if (audio_format !== 'pcm_s16le' || sample_rate !== RATE) return wrong('another format')
  return typeof text === 'string' && text !== '' ? undefined : wrong('no text')
}

export class FakeSonioxVoices extends FakeVoices {
  static readonly voice = 'Adrian'

  constructor() {
    super('/tts', 'audio/pcm')
  }

  protected textOf({ text }: Record<string, unknown>): string {
    return String(text)
  }

  protected refusal({ headers, body }: FastifyRequest): Refusal | undefined {
    return sonioxRefusal(headers.authorization, body)
  }
}
