import type { LanguageId } from './languages.ts'
import type { Sound } from './sound.ts'

/** What the system says of itself. The words in each language, or the files, are the announcer's. */
export const NOTICES = [
  /** Played before a connection is made: who is being called, that it is interpreted. */
  'connecting',
  'busy',
  'no-answer',
  'call-failed',
  'voicemail',
  /** To somebody who is called: this call is interpreted, from whom. */
  'incoming',
  'connected',
  'other-left',
  'goodbye',
  'service-away',
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
  /** “For Spanish, press two”: `{key}`. Said in the language it offers. */
  'choose-language',
  'enter-room-code',
  'wrong-room-code',
  'line-full',
  /** To everybody in a voice channel: what is said there is interpreted. */
  'channel-interpreted',
  'phone-joined',
  /** Nobody can be called any more today. */
  'minutes-spent',
  /** To telephones, of the voice channel they talk with: it is lost, does not hear them, is not heard; all is well again. */
  'channel-away',
  'channel-mute',
  'channel-deaf',
  'channel-back',
] as const
export type NoticeName = (typeof NOTICES)[number]

export const TONES = ['ringback', 'busy', 'beep', 'away'] as const
/** A tone of the telephone. */
export type ToneName = (typeof TONES)[number]

/** Makes what the system says. Kept per language; nothing here is on the hot path. */
export interface Announcer {
  /**
   * The notice in `language`. Resolves soon, whatever the service does, and never rejects: where neither a file nor a
   * voice is to be had in time, it is a tone. `values` fill the `{places}` of its words.
   */
  notice(name: NoticeName, language: LanguageId, values?: Readonly<Record<string, string>>): Promise<Sound>
  /** `text` spoken in `to`, translated first if it is in another language. Rejects with `BridgeError`. */
  say(text: string, from: LanguageId, to: LanguageId): Promise<Sound>
  /** Ready at once. */
  tone(name: ToneName): Sound
  /** The sound of a file of the operator's, by the name it has in the settings. Rejects with `BridgeError`. */
  file(name: string): Promise<Sound>
}
