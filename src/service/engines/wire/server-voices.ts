import type { LanguageId } from '../../../common/language.ts'
import type { VoiceEntry } from '../../contract.ts'
import { textPieces } from '../engine.ts'
import type { ServerVoice } from '../fields.ts'
import { languageRow } from '../languages.ts'

/** A voice of a server in one of its languages. */
export interface OfferedServerVoice {
  readonly voice: ServerVoice
  readonly language: LanguageId
  readonly entry: VoiceEntry
}

/** Returns the entries of `voices` in the voice list, one for each language. Ids are like `soniox-es-es-Adrian`. */
export function offeredVoices(
  voices: readonly ServerVoice[],
  prefix: string,
  neural: boolean,
): OfferedServerVoice[] {
  return voices.flatMap(voice =>
    voice.languages.map(language => ({
      voice,
      language,
      entry: {
        voiceId: `${prefix}-${language}-${voice.voice}`,
        name: `${languageRow(language)?.name ?? language}, ${voice.voice}`,
        languageId: language,
        voiceGender: voice.gender,
        voiceEngine: neural ? ('neural' as const) : ('standard' as const),
        modes: ['block' as const, 'streaming' as const],
      },
    })),
  )
}

/** Characters that can be spoken. */
const WORDS = /[\p{L}\p{N}\p{S}]/u

/** Divides `text` into pieces of at most `most` letters for requests to a server; none if there is nothing to speak. */
export function spokenPieces(text: string, most: number): string[] {
  return WORDS.test(text) ? textPieces(text, most) : []
}
