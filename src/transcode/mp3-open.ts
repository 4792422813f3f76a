import type { Mp3Backend } from './mp3-backend.ts'
import { Mp3Native } from './mp3-native.ts'
import { Mp3Wasm } from './mp3-wasm.ts'

/** The best backend this machine has: its own library if it is installed, the one that works everywhere otherwise. */
export async function openMp3Backend(): Promise<Mp3Backend> {
  return (await Mp3Native.open()) ?? new Mp3Wasm()
}
