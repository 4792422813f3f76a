import type { LanguageId } from '../../common/language.ts'
import type { LogUser } from '../../common/log.ts'

/** Notices that the system speaks. The announcer provides their texts in each language, or the audio files. */
export const NOTICES = [
  /** Played before dialing: who is being called, and that the call is interpreted. */
  'connecting',
  'busy',
  'no-answer',
  'call-failed',
  'voicemail',
  /** Played to the callee: who is calling, and that the call is interpreted. */
  'incoming',
  'connected',
  'other-left',
  'goodbye',
  'service-unavailable',
  /** The service cannot translate one speaker, `{name}`, at the moment, but responds. */
  'speaker-untranslated',
  /** For a participant who hears nothing but their own translation. */
  'self-untranslated',
  'service-back',
  'interpreting-paused',
  'interpreting-resumed',
  'nothing-to-repeat',
  'language-changed',
  'muted',
  'unmuted',
  'recording',
  'recording-paused',
  'recording-resumed',
  'minutes-left',
  'time-up',
  'options',
  /** “For Spanish, press two”: `{key}`. Spoken in the language that it offers. */
  'choose-language',
  'enter-room-code',
  'wrong-room-code',
  'line-full',
  /** Played to a whole voice channel: that the channel is interpreted. */
  'channel-interpreted',
  'phone-joined',
  /** The daily limit for outbound calls is reached. */
  'minutes-spent',
  /** To phones, about their voice channel: it is unavailable, receives no audio, plays no audio; it has recovered. */
  'channel-unavailable',
  'channel-mute',
  'channel-deaf',
  'channel-back',
] as const
export type NoticeName = (typeof NOTICES)[number]

export const TONES = ['ringback', 'busy', 'beep', 'unavailable'] as const
/** A call progress tone. */
export type ToneName = (typeof TONES)[number]

/** Creates the system's notices and tones. Results are cached per language; nothing here is on the hot path. */
export interface Announcer extends LogUser {
  /**
   * Returns the notice in `language`. Resolves soon even if the service is slow, and never rejects: if neither a file nor
   * a synthesized voice is available in time, it returns a tone. `values` replace the `{placeholders}` in the text.
   */
  notice(name: NoticeName, language: LanguageId, values?: Readonly<Record<string, string>>): Promise<Sound>
  /** Returns `text` spoken in `to`, translated first if `from` is another language. Rejects with `BridgeError`. */
  say(text: string, from: LanguageId, to: LanguageId): Promise<Sound>
  /** Returns a tone, without delay. */
  tone(name: ToneName): Sound
  /** Returns the sound of one of the operator's files, by its name in the settings. Rejects with `BridgeError`. */
  file(name: string): Promise<Sound>
}

/**
 * A sound that the system plays to a participant: spoken notice, tone or file. 16 kHz mono linear16, complete in
 * memory, shared between listeners and immutable.
 */
export interface Sound {
  /** For events and logs: `notice busy es-es`, `tone ringback`; never the spoken text. */
  readonly name: string
  readonly pcm: Int16Array
  /** The spoken text for captions, in the language of the sound. */
  readonly text?: string
  /** Repeats until it is stopped. */
  readonly loop?: boolean
}
