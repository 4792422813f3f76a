import { randomBytes } from 'node:crypto'
import type { AudioStream } from './audio-stream.ts'

/** Where streams are found, before their name. */
export const STREAM_PATH = '/stream/'

/** The streams of the open sessions, each at a path that nobody can guess. The path is the only proof that is asked. */
export class AudioStreams {
  readonly #streams = new Map<string, AudioStream>()

  /** Offers `stream` at the path answered until `withdraw` is called with it. */
  offer(stream: AudioStream): string {
    const name = `${randomBytes(32).toString('base64url')}.mp3`
    this.#streams.set(name, stream)
    return `${STREAM_PATH}${name}`
  }

  withdraw(path: string): void {
    this.#streams.delete(path.slice(STREAM_PATH.length))
  }

  find(name: string): AudioStream | undefined {
    return this.#streams.get(name)
  }
}
