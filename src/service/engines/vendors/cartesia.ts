import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { primaryCode } from '../languages.ts'
import { pcmOf } from '../wire/base64-pcm.ts'
import { SocketFault } from '../wire/engine-socket.ts'
import { socketUrl } from '../wire/live-settings.ts'
import { MultiplexedSpeech } from '../wire/multiplexed-speech.ts'
import { MultiplexedSynthesizer } from '../wire/multiplexed-synthesizer.ts'
import { offeredVoices } from '../wire/server-voices.ts'
import type { SpeakingVoice, SpeechEvent, SpeechProtocol } from '../wire/speech-protocol.ts'
import type { CartesiaOptions } from './settings.ts'

const RATE = 24_000
/** Date of the protocol (package `@cartesia/cartesia-js` 4.2.0). */
const VERSION = '2026-08-14'
const MOST_LETTERS = 1_000

const eventSchema = z.object({
  type: z.string(),
  context_id: z.string().nullish(),
  data: z.string().nullish(),
  status_code: z.number().nullish(),
})

/**
 * Cartesia's voices over WebSocket: each text is a context, and every message of a context repeats its configuration
 * (API reference, `tts/websocket`).
 */
function cartesiaProtocol({ url, apiKey, model }: CartesiaOptions): SpeechProtocol {
  const address = {
    url: socketUrl(url, '/tts/websocket'),
    headers: { 'cartesia-version': VERSION, ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) },
  }
  return {
    rate: RATE,
    maxStreams: 10,
    maxConnections: 2,
    address: () => address,
    begin: () => [],
    text: (id, { voice, language }: SpeakingVoice, text, last) => [
      {
        context_id: id,
        model_id: model,
        transcript: text,
        voice: { mode: 'id', id: voice },
        language: primaryCode(language),
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: RATE },
        continue: !last,
        // Otherwise up to 3 s of text are collected before anything is spoken.
        max_buffer_delay_ms: 0,
      },
    ],
    cancel: id => ({ context_id: id, cancel: true }),
    read: readEvent,
  }
}

function readEvent(message: unknown): SpeechEvent | undefined {
  const { data } = eventSchema.safeParse(message)
  if (!data) return undefined
  const { type, context_id, data: audio, status_code: code } = data
  const id = context_id ?? undefined
  if (type === 'chunk') return { id, audio: audio ? pcmOf(audio) : undefined }
  if (type === 'done') return { id, ended: true }
  if (type !== 'error') return undefined
  const status = code ?? 500
  const passing = status === 408 || status === 429 || status >= 500
  const fault = new SocketFault(`answered ${status}`, { passing, code: status })
  return { id, fault, ended: true }
}

/** Creates a synthesizer with the voices of Cartesia that the settings list. */
export function cartesiaSynthesizer(options: CartesiaOptions, clock: Clock): MultiplexedSynthesizer {
  const { timeoutMs, cooldownMs, idleMs } = options
  const protocol = cartesiaProtocol(options)
  return new MultiplexedSynthesizer({
    name: 'cartesia',
    speech: new MultiplexedSpeech({ name: 'cartesia', protocol, clock, timeoutMs, cooldownMs, idleMs }),
    voices: offeredVoices(options.voices, 'cartesia', true),
    mostLetters: MOST_LETTERS,
  })
}
