import type { Mp3Backend } from './mp3-backend.ts'
import { Mp3Wasm } from './mp3-wasm.ts'

/** The best backend this machine has. */
export async function openMp3Backend(): Promise<Mp3Backend> {
  return new Mp3Wasm()
}
