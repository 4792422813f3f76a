import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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
