import type { LanguageId } from '../../common/language.ts'
import { decodeSpeech } from '../../transcode/speech-decoder.ts'
import { ServiceClientError } from './errors.ts'
import type { ServiceClient } from './service-client.ts'
import type { ServiceSession } from './session.ts'

/** Maximum length of a spoken sentence (s); the rest is dropped. */
const MOST_SECONDS = 120

/** Speaks and translates single sentences, each in its own session of `/tts` or `/translator`. */
export class ServiceSpeaker {
  readonly #client: () => ServiceClient

  /** `client` is called for each sentence, because the embedded service can move after a restart. */
  constructor(client: () => ServiceClient) {
    this.#client = client
  }

  /** Synthesizes `text` in `language`, 16 kHz mono. Rejects with `ServiceClientError`. */
  async speak(text: string, language: LanguageId): Promise<Int16Array> {
    await using session = await this.#client().openSession('/tts', { languageIdTarget: language })
    const { audio } = await answerTo(session, text)
    if (audio) return await decodeSpeech(audio, MOST_SECONDS)
    throw ServiceClientError.found('timeout/no_audio', 'the service returned no audio for a text')
  }

  /** Translates `text` into the language `to`. Rejects with `ServiceClientError`. */
  async translate(text: string, from: LanguageId, to: LanguageId): Promise<string> {
    const languages = { languageIdSource: from, languageIdTarget: to }
    await using session = await this.#client().openSession('/translator', languages)
    const { translation } = await answerTo(session, text)
    if (translation) return translation
    throw ServiceClientError.found('timeout/no_reply', 'the service returned no translation for a text')
  }
}

/** Returns all results for one text. Awaits the end of the session, so that a silent service is noticed. */
async function answerTo(
  session: ServiceSession<'/tts' | '/translator'>,
  text: string,
): Promise<{ audio: Uint8Array | undefined; translation: string | undefined }> {
  await session.send(text)
  const finished = session.finish()
  const audio: Uint8Array[] = []
  let translation: string | undefined
  try {
    for await (const event of session.events()) {
      if (event.kind === 'error') throw event.error
      if (event.kind !== 'result') continue
      if (event.audio) audio.push(event.audio)
      if (event.final) translation = event.translation ?? translation
    }
  } finally {
    finished.catch(() => {})
  }
  return { audio: audio.length === 0 ? undefined : Buffer.concat(audio), translation }
}
