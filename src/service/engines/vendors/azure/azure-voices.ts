import type { Clock } from '../../../../common/clock.ts'
import { languageTag } from '../../../../common/language.ts'
import { HttpSynthesizer, SpokenAnswer, type SpokenVoice } from '../../wire/http-synthesizer.ts'
import type { AzureSynthesisOptions } from '../settings.ts'
import { azureAddresses } from './azure-resource.ts'

const RATE = 24_000
/** The service limits a request to 64 kB and 10 minutes of speech. */
const MOST_LETTERS = 2_000

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, mark => ESCAPES[mark]!)

/** Azure's voices: SSML at `POST /cognitiveservices/v1` (guide "Text to speech REST API"); the speech is streamed. */
export class AzureSynthesizer extends HttpSynthesizer {
  readonly #options: AzureSynthesisOptions
  readonly #path: string

  constructor(options: AzureSynthesisOptions, clock: Clock) {
    const { url, path } = azureAddresses(options.url).synthesis
    super(
      { name: 'azure', prefix: 'azure', mostLetters: MOST_LETTERS },
      // The key is sent in the provider's own header.
      { ...options, url, apiKey: undefined, neural: true },
      clock,
    )
    this.#options = options
    this.#path = path
  }

  protected async ask(text: string, voice: SpokenVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    const answer = await this.http.open(this.#path, {
      headers: {
        'ocp-apim-subscription-key': this.#options.apiKey ?? '',
        'x-microsoft-outputformat': 'raw-24khz-16bit-mono-pcm',
        // Required, with fewer than 255 letters.
        'user-agent': 'dragoman',
      },
      type: 'application/ssml+xml',
      body: this.#ssml(text, voice),
      signal,
    })
    return new SpokenAnswer(answer, 'pcm', RATE, { anyAudio: true })
  }

  #ssml(text: string, { voice, language }: SpokenVoice): string {
    const rate = `${Math.round((this.#options.speed - 1) * 100)}%`
    const spoken = rate === '0%' ? escaped(text) : `<prosody rate="${rate}">${escaped(text)}</prosody>`
    return [
      `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${languageTag(language)}">`,
      `<voice name="${escaped(voice)}">${spoken}</voice></speak>`,
    ].join('')
  }
}
