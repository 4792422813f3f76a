import type { Clock } from '../../../common/clock.ts'
import {
  keyFields,
  listedEngine,
  modelField,
  type SettingsOf,
  serverEntry,
  urlField,
  voicesSchema,
} from '../definition.ts'
import { primaryCode } from '../languages.ts'
import { HttpSynthesizer, SpokenAnswer, type SpokenVoice } from '../wire/http-synthesizer.ts'

const settings = serverEntry('cartesia', {
  url: urlField('https://api.cartesia.ai'),
  ...keyFields,
  model: modelField.default('sonic-3.5'),
  voices: voicesSchema,
})
type Settings = SettingsOf<typeof settings>

export const cartesia = listedEngine({
  kind: 'synthesis',
  schema: settings,
  key: { variable: 'CARTESIA_API_KEY', hosts: /^api\.cartesia\.ai$/ },
  create: (choice, { clock }) => new CartesiaSynthesizer(choice, clock),
})

const RATE = 24_000
/** Length of a request: all of its speech arrives within its timeout. */
const MOST_LETTERS = 400
/** Date of the protocol (package `@cartesia/cartesia-js` 4.2.0). */
const VERSION = '2026-08-14'

/** Cartesia's voices: samples, as they are made, from `POST /tts/bytes` (API reference, "Text to speech (bytes)"). */
export class CartesiaSynthesizer extends HttpSynthesizer {
  readonly #settings: Settings

  constructor(choice: Settings, clock: Clock) {
    // The key is sent in the provider's own header.
    super(
      { name: 'cartesia', mostLetters: MOST_LETTERS, atOnce: 20 },
      { ...choice, apiKey: undefined },
      clock,
    )
    this.#settings = choice
  }

  protected async ask(
    transcript: string,
    { voice, language }: SpokenVoice,
    signal: AbortSignal,
  ): Promise<SpokenAnswer> {
    const { apiKey, model } = this.#settings
    const answer = await this.http.open('/tts/bytes', {
      headers: { 'x-api-key': apiKey, 'cartesia-version': VERSION },
      json: {
        model_id: model,
        transcript,
        voice: { mode: 'id', id: voice },
        language: primaryCode(language),
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: RATE },
      },
      signal,
    })
    return new SpokenAnswer(answer, 'pcm', RATE, { anyAudio: true })
  }
}
