import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { bytesOf } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import {
  FAKE_KEY,
  type FakeConversation,
  FakeLiveServer,
  linear16,
  onlyFields,
  Refusal,
} from './fake-live-server.ts'
import { ToneEars, type ToneWord } from './tone-ears.ts'

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const RATE = 16_000
const SPOKEN_RATE = 24_000
const SPOKEN_MS = 400
/** Audio that can come at once, and faster than real time beyond that. */
const BURST_MS = 1_500
const FASTEST = 2.5

/** The service reports errors by the code and reason of the close frame. */
const refuse = (reason: string, code = 1007) => new Refusal(reason, {}, code)

/** A strict fake of the live translation of Google's Gemini for tones. */
export class FakeGemini extends FakeLiveServer {
  /** Time after which a connection is announced to end (ms), and time that remains then. */
  goAwayMs = 600_000
  leftMs = 50_000
  /** Handles are given for the state after each translation. */
  resumable = true
  /** The settings of all connections. */
  readonly setups: Record<string, unknown>[] = []
  readonly #handles = new Set<string>()

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers['x-goog-api-key'] !== FAKE_KEY) return { reason: 'a wrong key', status: 403 }
    if (url !== PATH) return { reason: `the path ${url}`, status: 404 }
    return undefined
  }

  protected converse(
    send: (message: Buffer) => void,
    _request: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    // Messages are JSON in binary frames.
    const talk = new Translation(this, message => send(Buffer.from(JSON.stringify(message))))
    const end = setTimeout(() => socket.close(1011), this.goAwayMs + this.leftMs)
    const warning = setTimeout(() => talk.goAway(this.leftMs), this.goAwayMs)
    return {
      message: message => talk.message(message),
      closed: () => {
        clearTimeout(end)
        clearTimeout(warning)
      },
    }
  }

  /** Issues a handle. */
  handle(): string {
    const handle = `handle-${this.#handles.size + 1}`
    this.#handles.add(handle)
    return handle
  }

  /** The service forgets all handles, as it does after two hours. */
  forget(): void {
    this.#handles.clear()
  }

  knows(handle: string): boolean {
    return this.#handles.has(handle)
  }
}

class Translation implements FakeConversation {
  readonly #server: FakeGemini
  readonly #send: (message: object) => void
  readonly #ears: ToneEars
  #ready = false
  #firstAt = 0
  #words = 0

  constructor(server: FakeGemini, send: (message: object) => void) {
    this.#server = server
    this.#send = send
    this.#ears = new ToneEars(RATE, {
      began: () => this.#send({ sessionResumptionUpdate: { resumable: false } }),
      ended: word => this.#translated(word),
    })
  }

  goAway(leftMs: number): void {
    this.#send({ goAway: { timeLeft: `${leftMs / 1_000}s` } })
  }

  message(message: Record<string, unknown>): void {
    if (!this.#ready) {
      this.#setup(message)
      return
    }
    if ('setup' in message) throw refuse('a second setup')
    onlyFields(message, ['realtimeInput'], refuse)
    const { realtimeInput: input } = message
    onlyFields(input, ['audio', 'audioStreamEnd'], refuse)
    if (input.audioStreamEnd !== undefined) return
    onlyFields(input.audio, ['mimeType', 'data'], refuse)
    if (input.audio.mimeType !== `audio/pcm;rate=${RATE}`) throw refuse('another format')
    const pcm = linear16(input.audio.data, refuse)
    const now = performance.now()
    this.#firstAt ||= now
    this.#ears.write(pcm)
    if (this.#ears.ms > (now - this.#firstAt) * FASTEST + BURST_MS) throw refuse('audio faster than spoken')
  }

  #setup(message: Record<string, unknown>): void {
    if (!('setup' in message)) throw refuse('a message before the setup')
    onlyFields(message, ['setup'], refuse)
    const { setup } = message
    onlyFields(
      setup,
      [
        ...['model', 'generationConfig', 'inputAudioTranscription', 'outputAudioTranscription'],
        ...['sessionResumption', 'contextWindowCompression', 'realtimeInputConfig'],
      ],
      refuse,
    )
    if (setup.model !== 'models/gemini-3.5-live-translate-preview')
      throw refuse(`the model ${String(setup.model)}`, 1008)
    onlyFields(setup.generationConfig, ['responseModalities', 'translationConfig'], refuse)
    const { responseModalities: modalities, translationConfig: translation } = setup.generationConfig
    if (JSON.stringify(modalities) !== '["AUDIO"]') throw refuse('another modality')
    onlyFields(translation, ['targetLanguageCode', 'echoTargetLanguage'], refuse)
    if (!/^[a-z]{2}(-[A-Za-z]{2,4})?$/.test(String(translation.targetLanguageCode)))
      throw refuse('a target that is no code')
    const { sessionResumption: resumption = {} } = setup
    onlyFields(resumption, ['handle'], refuse)
    const { handle } = resumption
    this.#server.setups.push(setup)
    if (handle !== undefined && !this.#server.knows(String(handle))) throw refuse('an unknown handle', 1008)
    this.#ready = true
    this.#send({ setupComplete: {} })
  }

  #translated({ word, translation, spokenHz }: ToneWord): void {
    const blank = this.#words++ === 0 ? '' : ' '
    const content = (serverContent: object) => this.#send({ serverContent })
    content({ inputTranscription: { text: blank + word.slice(0, 2), languageCode: 'en' } })
    content({ inputTranscription: { text: word.slice(2) } })
    const tone = sine(spokenHz, SPOKEN_MS, 8_000, SPOKEN_RATE)
    const parts = [tone.slice(0, tone.length / 2), tone.slice(tone.length / 2)].map(pcm => ({
      inlineData: {
        mimeType: `audio/pcm;rate=${SPOKEN_RATE}`,
        data: Buffer.from(bytesOf(pcm)).toString('base64'),
      },
    }))
    content({
      outputTranscription: { text: blank + translation.slice(0, 1) },
      modelTurn: { parts: [parts[0]] },
    })
    content({ outputTranscription: { text: translation.slice(1) }, modelTurn: { parts: [parts[1]] } })
    // Unknown messages and fields must not disturb a client.
    this.#send({ usageMetadata: { totalTokenCount: 1 } })
    if (this.#server.resumable)
      this.#send({ sessionResumptionUpdate: { newHandle: this.#server.handle(), resumable: true } })
  }
}
