import type { Mp3Backend } from './mp3-backend.ts'
import { Mp3Native } from './mpg123-native.ts'
import { Mp3Wasm } from './mpg123-wasm.ts'

/** Opens the best available backend: the native library if installed, otherwise WebAssembly. */
export async function openMp3Backend(): Promise<Mp3Backend> {
  return (await Mp3Native.open()) ?? new Mp3Wasm()
}
