import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { pcmOf } from '../wire/base64-pcm.ts'
import { SocketFault } from '../wire/engine-socket.ts'
import { socketUrl } from '../wire/live-settings.ts'
import { MultiplexedSpeech } from '../wire/multiplexed-speech.ts'
import { MultiplexedSynthesizer } from '../wire/multiplexed-synthesizer.ts'
import { offeredVoices } from '../wire/server-voices.ts'
import type { SpeechEvent, SpeechProtocol } from '../wire/speech-protocol.ts'
import type { ElevenLabsOptions } from './settings.ts'

const RATE = 24_000
/** Time without messages after which the service closes a connection (s): its maximum. */
const INACTIVITY_S = 180
const MOST_LETTERS = 1_000

const eventSchema = z.object({
  contextId: z.string().nullish(),
  audio: z.string().nullish(),
  isFinal: z.boolean().nullish(),
  error: z.string().nullish(),
  code: z.number().nullish(),
})

/**
 * ElevenLabs' voices over WebSocket: a connection has one voice, and each text is a context (API reference,
 * `multi-stream-input`).
 */
function elevenLabsProtocol({ url, apiKey, model }: ElevenLabsOptions): SpeechProtocol {
  const query = new URLSearchParams({
    model_id: model,
    output_format: `pcm_${RATE}`,
    inactivity_timeout: String(INACTIVITY_S),
  })
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'xi-api-key': apiKey }
  return {
    rate: RATE,
    maxStreams: 5,
    maxConnections: 8,
    address: ({ voice }) => ({
      url: socketUrl(url, `/v1/text-to-speech/${encodeURIComponent(voice)}/multi-stream-input?${query}`),
      headers,
    }),
    begin: id => [{ context_id: id, text: ' ' }],
    text: (id, _voice, text, last) => [
      // Text that is not flushed waits until there are 120 characters. It ends with a blank.
      ...(text === '' ? [] : [{ context_id: id, text: `${text.trimEnd()} `, flush: true }]),
      ...(last ? [{ context_id: id, close_context: true }] : []),
    ],
    cancel: id => ({ context_id: id, close_context: true }),
    read: readEvent,
  }
}

function readEvent(message: unknown): SpeechEvent | undefined {
  const { data } = eventSchema.safeParse(message)
  if (!data) return undefined
  const { contextId, audio, isFinal, error, code } = data
  const id = contextId ?? undefined
  if (error) {
    const passing = !/voice|model|auth|key|quota|permission|invalid/i.test(error)
    const told = /^[a-z_]{1,40}$/.test(error) ? error : 'an error'
    return {
      id,
      fault: new SocketFault(`answered ${told}`, { passing, code: code ?? undefined }),
      ended: true,
    }
  }
  return { id, audio: audio ? pcmOf(audio) : undefined, ended: isFinal ?? false }
}

/** Creates a synthesizer with the voices of ElevenLabs that the settings list, by their ids. */
export function elevenLabsSynthesizer(options: ElevenLabsOptions, clock: Clock): MultiplexedSynthesizer {
  const { timeoutMs, cooldownMs, idleMs } = options
  const protocol = elevenLabsProtocol(options)
  return new MultiplexedSynthesizer({
    name: 'elevenlabs',
    speech: new MultiplexedSpeech({ name: 'elevenlabs', protocol, clock, timeoutMs, cooldownMs, idleMs }),
    voices: offeredVoices(options.voices, 'elevenlabs', true),
    mostLetters: MOST_LETTERS,
  })
}
