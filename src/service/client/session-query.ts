import { withDefaults } from '../../common/defaults.ts'
import type { Namespace, ReceiveAudio, SendAudio } from '../contract.ts'
import type { VoiceMode } from './utterance-numbers.ts'

/** Requested audio; with `stream`, `start` carries a URL that serves it. */
export type WantedAudio = Partial<Omit<ReceiveAudio, 'obtainVia'>> & { obtainVia?: 'chunk' | 'stream' }

export interface Everywhere {
  /** Extra query parameters for servers that require more than the interface. */
  readonly more?: Readonly<Record<string, string>>
}

export interface Speaking {
  /** Language of the input, `<language>-<region>`. */
  readonly languageIdSource: string
  /** Default: chunk, linear16, 16 kHz. */
  readonly sendAudio?: Partial<SendAudio>
  /** True to receive text that can still change. Default: decided by the service. */
  readonly partials?: boolean
}

export interface ReceivedLanguage {
  /** Language of the output. */
  readonly languageIdTarget: string
  /** Default: chunk, mp3, 16 kHz, block. */
  readonly receiveAudio?: WantedAudio
  /** The voice, by its id in the voice list. Default: the language's first. */
  readonly voiceId?: string
  readonly voiceGender?: string
  readonly voiceEngine?: string
}

/** Parameters of a session, by namespace. */
export interface SessionParameters {
  '/stt': Speaking & Everywhere
  '/translator': { readonly languageIdSource: string; readonly languageIdTarget: string } & Everywhere
  '/tts': ReceivedLanguage & Everywhere
  '/sts': Speaking & ReceivedLanguage & Everywhere
}

type Given = Partial<Speaking & ReceivedLanguage> & Everywhere

const SEND: SendAudio = { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 }
const RECEIVE: Required<WantedAudio> = {
  obtainVia: 'chunk',
  codec: 'mp3',
  sampleRate: 16_000,
  mode: 'block',
}

/** Builds the query of a connection, section 2.3 of the interface: the two objects are sent as JSON strings. */
export function sessionQuery<N extends Namespace>(
  namespace: N,
  parameters: SessionParameters[N],
): Record<string, string> {
  const given: Given = parameters
  const { languageIdSource, languageIdTarget, sendAudio, receiveAudio, partials, more } = given
  const sends = namespace === '/stt' || namespace === '/sts'
  const receives = namespace === '/tts' || namespace === '/sts'
  const { voiceId, voiceGender, voiceEngine } = given
  return withDefaults<Record<string, string>>(
    { ...more },
    {
      languageIdSource,
      languageIdTarget,
      sendAudio: sends ? JSON.stringify(withDefaults<object>(SEND, sendAudio)) : undefined,
      receiveAudio: receives ? JSON.stringify(withDefaults<object>(RECEIVE, receiveAudio)) : undefined,
      partials: partials?.toString(),
      ...{ voiceId, voiceGender, voiceEngine },
    },
  )
}

/** Returns the voice mode of a session with this query. */
export function voiceMode(query: Readonly<Record<string, string>>): VoiceMode {
  if (query.receiveAudio === undefined) return 'none'
  const { mode } = JSON.parse(query.receiveAudio) as Required<WantedAudio>
  return mode === 'streaming' ? 'streaming' : 'block'
}

/** Returns the sample rate of the audio that a session with these parameters sends (Hz). */
export function sendRate(parameters: SessionParameters[Namespace]): number {
  const { sendAudio }: Given = parameters
  return sendAudio?.sampleRate ?? SEND.sampleRate
}
