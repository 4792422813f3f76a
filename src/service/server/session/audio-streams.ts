import { randomBytes } from 'node:crypto'
import type { AudioStream } from './audio-stream.ts'

/** Path prefix of streams. */
export const STREAM_PATH = '/stream/'

/** The streams of the open sessions, each at an unguessable path. The path is the only credential. */
export class AudioStreams {
  readonly #streams = new Map<string, AudioStream>()

  /** Serves `stream` at the returned path until `withdraw` is called with it. */
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
