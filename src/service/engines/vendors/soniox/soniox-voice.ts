import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import { codesFor } from '../../languages.ts'
import { pcmOf } from '../../wire/base64-pcm.ts'
import { socketUrl } from '../../wire/live-settings.ts'
import { MultiplexedSpeech } from '../../wire/multiplexed-speech.ts'
import { MultiplexedSynthesizer } from '../../wire/multiplexed-synthesizer.ts'
import { offeredVoices } from '../../wire/server-voices.ts'
import type { SpeakingVoice, SpeechEvent, SpeechProtocol } from '../../wire/speech-protocol.ts'
import type { SonioxSynthesisOptions } from '../settings.ts'
import { sonioxFault } from './soniox-session.ts'

/** Access to the voices. */
export type SonioxVoiceOptions = Omit<SonioxSynthesisOptions, 'voices'>

const RATE = 24_000
/** Maximum length of a text: a stream ends after two minutes, in which over 1 500 letters are spoken. */
const MOST_LETTERS = 1_000

const streamEvent = z.object({
  stream_id: z.string().nullish(),
  audio: z.string().nullish(),
  terminated: z.boolean().nullish(),
  error_code: z.number().nullish(),
})

/**
 * Soniox text to speech over WebSocket (API reference, TTS WebSocket API; Real-time API, "Limits & quotas"): five
 * streams on each of three connections.
 */
function sonioxSpeechProtocol({ url, apiKey, model }: SonioxVoiceOptions): SpeechProtocol {
  const address = {
    url: socketUrl(url, '/tts-websocket'),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  }
  return {
    rate: RATE,
    maxStreams: 5,
    maxConnections: 3,
    keepAlive: { everyMs: 20_000, message: { keep_alive: true } },
    address: () => address,
    begin: (id, { voice, language }: SpeakingVoice) => [
      {
        stream_id: id,
        model,
        language: codesFor(language).at(-1),
        voice,
        audio_format: 'pcm_s16le',
        sample_rate: RATE,
      },
    ],
    text: (id, _voice, text, last) => [{ stream_id: id, text, text_end: last }],
    cancel: id => ({ stream_id: id, cancel: true }),
    read: readEvent,
  }
}

function readEvent(message: unknown): SpeechEvent | undefined {
  const parsed = streamEvent.safeParse(message)
  if (!parsed.success) return undefined
  const { stream_id: id, audio, terminated, error_code: code } = parsed.data
  return {
    id: id ?? undefined,
    audio: audio ? pcmOf(audio) : undefined,
    fault: code ? sonioxFault(code) : undefined,
    ended: terminated ?? false,
  }
}

/** Creates the connections for Soniox's voices; `name` is that of the engine that uses them. */
export function sonioxSpeech(name: string, options: SonioxVoiceOptions, clock: Clock): MultiplexedSpeech {
  const { timeoutMs, cooldownMs, idleMs } = options
  return new MultiplexedSpeech({
    name,
    protocol: sonioxSpeechProtocol(options),
    clock,
    timeoutMs,
    cooldownMs,
    idleMs,
  })
}

/** Creates a synthesizer with the voices of Soniox that the settings list. */
export function sonioxSynthesizer(options: SonioxSynthesisOptions, clock: Clock): MultiplexedSynthesizer {
  return new MultiplexedSynthesizer({
    name: 'soniox',
    speech: sonioxSpeech('soniox', options, clock),
    voices: offeredVoices(options.voices, 'soniox', true),
    mostLetters: MOST_LETTERS,
  })
}
