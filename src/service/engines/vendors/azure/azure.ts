/** Azure: recognition through Microsoft's package (sdk-session.ts), voices and translation over HTTP. */
import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import { type LanguageId, languageTag, primaryLanguage } from '../../../../common/language.ts'
import { howToInstall, missingOf } from '../../../../common/optional-package.ts'
import { bytesOf, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import {
  keyFields,
  languagesSchema,
  listedEngine,
  ownUrlField,
  pauseField,
  type SettingsOf,
  serverEntry,
  speedField,
  translatedLanguages,
  urlField,
  voicesSchema,
} from '../../definition.ts'
import { EngineError, type GlossaryEntry, type TranslationOptions } from '../../engine.ts'
import { WordMatcher } from '../../vocabulary/word-matcher.ts'
import { socketUrl } from '../../wire/engine-socket.ts'
import { HttpSynthesizer, SpokenAnswer, type SpokenVoice } from '../../wire/http-synthesizer.ts'
import { HostedTranslator } from '../../wire/http-translator.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { LiveRecognizer, type LiveSpeech } from '../../wire/live-recognizer.ts'
import { type AzureMessage, AzureSession, AzureTokens } from './sdk-session.ts'

const resourceUrl = ownUrlField(
  'Endpoint of the speech resource, like https://westeurope.api.cognitive.microsoft.com.',
)
const key = {
  variable: 'AZURE_SPEECH_KEY',
  hosts: /\.api\.cognitive\.microsoft\.com$|\.cognitiveservices\.azure\.com$/,
}

const transcriptionSettings = serverEntry('azure', {
  url: resourceUrl,
  ...keyFields,
  languages: languagesSchema,
  pauseMs: pauseField(100, 5_000, 500),
  detectLanguage: z.boolean().default(false).meta({
    about: 'Detect which of the languages (up to 10) is spoken.',
  }),
})
type TranscriptionSettings = SettingsOf<typeof transcriptionSettings>

const synthesisSettings = serverEntry('azure', {
  url: resourceUrl,
  ...keyFields,
  voices: voicesSchema,
  speed: speedField(0.5, 2),
})
type SynthesisSettings = SettingsOf<typeof synthesisSettings>

const translationSettings = serverEntry('azure', {
  url: urlField('https://api.cognitive.microsofttranslator.com'),
  ...keyFields,
  languages: translatedLanguages,
  region: z.string().min(1).optional().meta({ about: 'Region of the resource, such as westeurope.' }),
})
type TranslationSettings = SettingsOf<typeof translationSettings>

export const azureTranscription = listedEngine({
  kind: 'transcription',
  schema: transcriptionSettings,
  key,
  create: (choice, { clock }) => azureRecognizer(choice, clock),
})

export const azureSynthesis = listedEngine({
  kind: 'synthesis',
  schema: synthesisSettings,
  key,
  create: (choice, { clock }) => new AzureSynthesizer(choice, clock),
})

export const azureTranslation = listedEngine({
  kind: 'translation',
  schema: translationSettings,
  key,
  create: (choice, { clock }) => new AzureTranslator(choice, clock),
})

/** Addresses of a speech resource. */
interface AzureAddresses {
  /** Endpoint that exchanges the key for a token. */
  readonly token: string
  /** Recognition, for the SDK. */
  readonly recognition: string
  /** Synthesis: base address and path. */
  readonly synthesis: { readonly url: string; readonly path: string }
}

/** The endpoint that the portal shows for a resource without a custom domain. */
const REGIONAL = /^([a-z0-9]+)\.api\.cognitive\.microsoft\.com$/

/**
 * Returns the addresses of the resource whose endpoint is `url`: hosts of the region, or paths of the resource's own
 * domain (guides "Regions", "Speech service with private endpoints").
 */
export function azureAddresses(url: string): AzureAddresses {
  const token = `${url}/sts/v1.0/issueToken`
  const [, region] = REGIONAL.exec(URL.parse(url)?.hostname ?? '') ?? []
  if (region === undefined)
    return {
      token,
      recognition: socketUrl(url, '/stt/speech/universal/v2'),
      synthesis: { url, path: '/tts/cognitiveservices/v1' },
    }
  const host = (service: string) => `${region}.${service}.speech.microsoft.com`
  return {
    token,
    recognition: `wss://${host('stt')}/stt/speech/universal/v2`,
    synthesis: { url: `https://${host('tts')}`, path: '/cognitiveservices/v1' },
  }
}

/** Maximum number of phrases of a list (guide "Improve recognition accuracy with a phrase list"). */
const MOST_TERMS = 500
/** Maximum number of languages among which the service detects one during a session (guide "Language identification"). */
const MOST_LANGUAGES = 10

/**
 * Live transcription by Azure Speech, through Microsoft's package. Rejects with an `EngineError` if that is not installed.
 */
export async function azureRecognizer(choice: TranscriptionSettings, clock: Clock): Promise<LiveRecognizer> {
  if (missingOf('azure').length > 0)
    throw new EngineError(
      'transcription',
      'azure',
      `its package is not installed: run ${howToInstall('azure')}`,
    )
  const sdk = await import('microsoft-cognitiveservices-speech-sdk')
  const { recognition: address, token } = azureAddresses(choice.url)
  const tokens = new AzureTokens(token, choice.apiKey ?? '', clock)
  const { pauseMs, detectLanguage } = choice
  const protocol = (speech: LiveSpeech): LiveProtocol => {
    const others = choice.languages.filter(each => each !== speech.language)
    const request = {
      ...{ address, pauseMs, detect: detectLanguage },
      languages: [speech.language, ...others].slice(0, MOST_LANGUAGES).map(languageTag),
      terms: speech.terms.slice(0, MOST_TERMS),
    }
    return {
      rate: SAMPLE_RATE,
      chunkMs: 100,
      // Silence ends utterances, and the SDK has nothing to keep a connection with.
      continuous: true,
      address: async signal => ({ url: address, token: await tokens.get(signal) }),
      connect: async ({ token = '' }, listener, signal) => {
        try {
          return await AzureSession.open(sdk, { ...request, token }, listener, clock, signal)
        } catch (error) {
          tokens.forget()
          throw error
        }
      },
      dialogue: link => new AzureDialogue(link, speech, detectLanguage),
    }
  }
  return new LiveRecognizer('azure', choice, clock, protocol)
}

class AzureDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #speech: LiveSpeech
  readonly #detects: boolean

  constructor(link: LiveLink, speech: LiveSpeech, detects: boolean) {
    this.#link = link
    this.#speech = speech
    this.#detects = detects
  }

  get busy(): boolean {
    return this.#speech.log.busy
  }

  begin(): void {
    this.#link.ready()
  }

  message(message: unknown): void {
    const { type, text, startMs, endMs, language } = message as AzureMessage
    const heard = {
      text: text.trim(),
      startMs: this.#link.streamMs(startMs),
      endMs: this.#link.streamMs(endMs),
    }
    if (type === 'partial') {
      this.#speech.log.partial(heard)
      return
    }
    this.#speech.log.final({ ...heard, language: this.#detects ? this.#speech.heard(language) : undefined })
    this.#link.answered(heard.endMs)
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  ended(): void {
    this.#speech.log.retract()
  }
}

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
  readonly #options: SynthesisSettings
  readonly #path: string

  constructor(options: SynthesisSettings, clock: Clock) {
    const { url, path } = azureAddresses(options.url).synthesis
    super(
      { name: 'azure', prefix: 'azure', mostLetters: MOST_LETTERS },
      // The key is sent in the provider's own header.
      { ...options, url, apiKey: undefined },
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

const azureReply = z.array(z.object({ translations: z.array(z.object({ text: z.string() })) }))
const AZURE_CODES: Readonly<Record<LanguageId, string>> = {
  'zh-cn': 'zh-Hans',
  'zh-tw': 'zh-Hant',
  'pt-pt': 'pt-pt',
  'pt-br': 'pt',
  'fr-ca': 'fr-ca',
  'nb-no': 'nb',
}

/** Azure Translator, edition 3, at `POST /translate`. */
export class AzureTranslator extends HostedTranslator {
  readonly takesGlossary = true
  readonly #options: TranslationSettings

  constructor(options: TranslationSettings, clock: Clock) {
    super('azure', options, { quota: [403] }, clock)
    this.#options = options
  }

  protected async request(
    text: string,
    from: LanguageId,
    to: LanguageId,
    { glossary = [] }: TranslationOptions,
  ): Promise<string | undefined> {
    const { apiKey, region } = this.#options
    const code = (language: LanguageId) => AZURE_CODES[language] ?? primaryLanguage(language)
    const query = new URLSearchParams({
      ...{ 'api-version': '3.0', from: code(from), to: code(to), textType: 'plain' },
    })
    const reply = await this.http.json(`/translate?${query}`, {
      headers: { 'ocp-apim-subscription-key': apiKey, 'ocp-apim-subscription-region': region },
      json: [{ Text: withDictionary(text, glossary) }],
    })
    return azureReply.safeParse(reply).data?.[0]?.translations[0]?.text
  }
}

/** Marks fixed translations (guide "Dynamic dictionary"). */
function withDictionary(text: string, glossary: readonly GlossaryEntry[]): string {
  const matcher = new WordMatcher(glossary.map(entry => [entry.source, entry] as const))
  return matcher.replace(text, ({ source, target }) => {
    const attribute = target.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return `<mstrans:dictionary translation="${attribute}">${source}</mstrans:dictionary>`
  })
}
