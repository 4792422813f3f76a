import { createMp3, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import type { OfferedVoice } from '../engines/engine-set.ts'

/**
 * Synthesizes `text` with `voice` and yields the pieces of one mp3 as they are made; the receiver owns the pieces.
 * Aborting ends it early without an error; throws the engine's errors.
 */
export async function* spokenMp3(
  voice: OfferedVoice,
  text: string,
  rate: Mp3Rate,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const speech = await voice.engine.speak(text, voice.entry.voiceId, signal)
  const encoder = await createMp3(speech.rate, rate)
  for await (const pcm of speech.pieces) {
    const bytes = encoder.encode(pcm)
    if (bytes.length > 0) yield bytes
  }
  const rest = encoder.finish()
  if (rest.length > 0) yield rest
}
