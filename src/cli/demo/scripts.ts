import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageId } from '../../common/language.ts'

export interface ScriptLine {
  readonly by: 'caller' | 'callee'
  /** A bundled recording, by its number; absent: the embedded voice says the text. */
  readonly recording?: number
  readonly text: string
}

export interface Role {
  readonly name: string
  readonly language: LanguageId
  /** E.164, from a reserved range if the country has one. */
  readonly number: string
}

export const CALLER: Role = { name: 'John', language: 'en-us', number: '+15005550006' }
export const CALLEE: Role = { name: 'Ana', language: 'es-es', number: '+34600000000' }
/** The account’s number, which the caller dials. */
export const DESK = '+15005550001'

/** A dialogue about a page of Jane Austen. Each Spanish line has no pauses, so that it is one utterance. */
export const DIALOGUE: readonly ScriptLine[] = [
  { by: 'callee', text: 'Buenos días, ¿quién era ese hombre?' },
  { by: 'caller', recording: 2, text: 'He was not an ill-disposed young man.' },
  { by: 'callee', text: '¿Y su mujer es amable?' },
  { by: 'caller', recording: 5, text: 'He might even have been made amiable himself.' },
  { by: 'callee', text: 'Muchas gracias, ahora lo entiendo.' },
]

/** A speaker in the voice channel. */
export interface Speaker {
  readonly name: string
  readonly language: LanguageId
  /** Language of their Discord client. */
  readonly locale: 'en-US' | 'es-ES'
}

export const SPEAKERS = {
  john: { name: 'John', language: 'en-us', locale: 'en-US' },
  mary: { name: 'Mary', language: 'en-us', locale: 'en-US' },
  ana: { name: 'Ana', language: 'es-es', locale: 'es-ES' },
} as const satisfies Record<string, Speaker>
export type SpeakerKey = keyof typeof SPEAKERS

export interface ScriptTurn {
  readonly by: SpeakerKey
  /** A bundled recording, by its number; absent: the embedded voice says the text. */
  readonly recording?: number
  readonly text: string
}

/** The conversation: John and Mary read from a book (recorded by the same reader), Ana asks. */
export const TURNS: readonly ScriptTurn[] = [
  { by: 'john', recording: 2, text: 'He was not an ill-disposed young man.' },
  { by: 'ana', text: '¿Y su mujer es amable?' },
  { by: 'mary', recording: 5, text: 'He might even have been made amiable himself.' },
]

/**
 * A transcription server (`POST /v1/audio/transcriptions`) that ignores the audio and returns the next line of the
 * script for each utterance. For demonstrations, which report scripted text as such.
 */
export class ScriptedRecognizer implements AsyncDisposable {
  readonly #server: Server
  readonly #lines: string[]

  private constructor(lines: readonly string[]) {
    this.#lines = [...lines]
    this.#server = createServer((request, response) => {
      request.resume().once('end', () => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ text: this.#lines.shift() ?? '' }))
      })
    })
  }

  /** Listens on loopback. */
  static async listen(lines: readonly string[]): Promise<ScriptedRecognizer> {
    const recognizer = new ScriptedRecognizer(lines)
    await new Promise<void>((settle, fail) => {
      recognizer.#server.once('error', fail)
      recognizer.#server.listen(0, '127.0.0.1', settle)
    })
    return recognizer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(settle => this.#server.close(settle))
  }
}
