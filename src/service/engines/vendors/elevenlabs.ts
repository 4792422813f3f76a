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
import { HttpSynthesizer, SpokenAnswer, type SpokenVoice } from '../wire/http-synthesizer.ts'

const settings = serverEntry('elevenlabs', {
  url: urlField('https://api.elevenlabs.io'),
  ...keyFields,
  model: modelField.default('eleven_flash_v2_5'),
  voices: voicesSchema,
})
type Settings = SettingsOf<typeof settings>

export const elevenLabs = listedEngine({
  kind: 'synthesis',
  schema: settings,
  key: { variable: 'ELEVENLABS_API_KEY', hosts: /^api\.elevenlabs\.io$/ },
  create: (choice, { clock }) => new ElevenLabsSynthesizer(choice, clock),
})

const RATE = 24_000
/** Length of a request: all of its speech arrives within its timeout. */
const MOST_LETTERS = 400

/** ElevenLabs' voices, by their ids: samples, as they are made (API reference, "Stream speech"). */
export class ElevenLabsSynthesizer extends HttpSynthesizer {
  readonly #settings: Settings

  constructor(choice: Settings, clock: Clock) {
    // The key is sent in the provider's own header.
    super(
      { name: 'elevenlabs', mostLetters: MOST_LETTERS, atOnce: 40 },
      { ...choice, apiKey: undefined },
      clock,
    )
    this.#settings = choice
  }

  protected async ask(text: string, { voice }: SpokenVoice, signal: AbortSignal): Promise<SpokenAnswer> {
    const { apiKey, model } = this.#settings
    const path = `/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_${RATE}`
    const answer = await this.http.open(path, {
      headers: { 'xi-api-key': apiKey },
      json: { text, model_id: model },
      signal,
    })
    return new SpokenAnswer(answer, 'pcm', RATE, { anyAudio: true })
  }
}
