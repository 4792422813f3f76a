import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { type Announcer, NOTICES, type NoticeName } from '../../core/model/announcer.ts'
import { joined, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { createResampler } from '../../transcode/resample/resampler.ts'
import { encodeWav } from '../../transcode/wav.ts'
import { queryOf } from '../twilio/incoming-call.ts'

const LINE_RATE = 8_000
/** Cache lifetime of a prompt at Twilio (s). Tones played in place of a voice are not cached. */
const KEEP_SECONDS = 86_400

export interface PromptTerms {
  readonly announcer: Announcer
  /** Secrets that sign the addresses: the first signs, all are accepted. */
  readonly keys: readonly string[]
  /** Returns the public address of a path of the bridge’s sounds. */
  readonly url: (path: string) => string
}

/**
 * Serves menu prompts as sounds that Twilio fetches (`<Play>`). They come from the announcer, so that menus use the
 * same voice and recordings as calls. An address contains all parameters and is signed, so any instance with the same
 * keys can serve it, and clients can only fetch prompts that we offered.
 */
export class Prompts {
  readonly #terms: PromptTerms

  constructor(terms: PromptTerms) {
    this.#terms = terms
  }

  /** Returns the address of a notice and starts preparing it. */
  url(notice: NoticeName, language: LanguageId, values: Readonly<Record<string, string>> = {}): string {
    const { announcer, keys, url } = this.#terms
    void announcer.notice(notice, language, values)
    const query = new URLSearchParams(values).toString()
    const path = `${sign(keys[0] ?? '', notice, language, query)}/${notice}/${language}.wav`
    return url(query === '' ? path : `${path}?${query}`)
  }

  /** Handles a request for `:signature/:notice/:language.wav`. */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { signature, notice, language } = request.params as Record<string, string>
    const query = queryOf(request)
    const known = NOTICES.find(name => name === notice)
    if (!known || !language || !isLanguageId(language)) return reply.code(404).send()
    const signed = this.#terms.keys.filter(key => same(sign(key, known, language, query), signature ?? ''))
    if (signed.length === 0) return reply.code(404).send()
    const values = Object.fromEntries(new URLSearchParams(query))
    const { name, pcm } = await this.#terms.announcer.notice(known, language, values)
    const keep = name.startsWith('notice ') ? `public, max-age=${KEEP_SECONDS}` : 'no-store'
    return reply.type('audio/wav').header('cache-control', keep).send(lineWav(pcm))
  }
}

function sign(key: string, notice: string, language: string, query: string): string {
  return createHmac('sha256', key).update(`prompt\n${notice}\n${language}\n${query}`).digest('base64url')
}

function same(right: string, given: string): boolean {
  const [a, b] = [Buffer.from(right), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Converts `pcm` of 16 kHz to a WAV file at the phone’s sample rate, which Twilio plays anyway. */
function lineWav(pcm: Int16Array): Buffer {
  const resampler = createResampler(SAMPLE_RATE, LINE_RATE)
  const line = joined([resampler.process(pcm).slice(), resampler.flush()])
  return Buffer.from(encodeWav(line, LINE_RATE))
}
