import { BoundedMap } from '../../../common/bounded-map.ts'
import { isLanguageId, type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { TranslatedVoices } from '../../../core/model/invitation.ts'
import { isVoiceId } from '../../../core/model/participant-state.ts'

/** A voice of the translation service. */
export interface CastableVoice {
  /** Its id in the service's list. */
  readonly id: string
  readonly language: LanguageId
  readonly gender?: string | undefined
}

/** Fetches the service's current voices. May reject. */
export type VoiceOffer = () => Promise<readonly CastableVoice[]>

export interface VoiceCastingOptions {
  /** The service's voices, as far as they are known. */
  readonly offered: () => readonly CastableVoice[]
  /** Ids of the voices to use; empty: all. */
  readonly only?: readonly string[] | undefined
}

/** A speaker and the language that they speak. */
export interface CastSpeaker {
  readonly userId: string
  readonly language: LanguageId
}

/** Maximum number of speakers whose voices are remembered. */
const MOST_SPEAKERS = 1_000

/**
 * Assigns each speaker of an interpretation their own voice in every language, as far as there are enough voices. A
 * speaker keeps it until the interpretation ends, also after leaving and returning.
 */
export class VoiceCasting {
  readonly #options: VoiceCastingOptions
  /** The part that each speaker has, from 0 on, and their language then. The same part means the same voices. */
  readonly #parts = new BoundedMap<string, { readonly part: number; readonly language: LanguageId }>(
    MOST_SPEAKERS,
  )
  #offered: readonly CastableVoice[] = []
  /** By part. */
  #voices: TranslatedVoices[] = []

  constructor(options: VoiceCastingOptions) {
    this.#options = options
  }

  /** Returns the voices of each of `speakers`, who are present; undefined if no language has several. */
  of(speakers: readonly CastSpeaker[]): ReadonlyMap<string, TranslatedVoices> | undefined {
    this.#update()
    if (this.#voices.length === 0) return undefined
    for (const speaker of speakers)
      if (!this.#parts.has(speaker.userId)) {
        const { language } = speaker
        this.#parts.set(speaker.userId, { part: this.#freePart(language, speakers), language })
      }
    const { length } = this.#voices
    return new Map(
      speakers.map(({ userId }) => [userId, this.#voices[this.#parts.get(userId)!.part % length]!]),
    )
  }

  /**
   * The part that the fewest of those present have, of those who speak `language` and so are translated into the same
   * languages; then the fewest of all; then the first one.
   */
  #freePart(language: LanguageId, present: readonly CastSpeaker[]): number {
    const count = (userIds: Iterable<string>) => {
      const counts = new Array<number>(this.#voices.length).fill(0)
      for (const userId of userIds) {
        const cast = this.#parts.get(userId)
        if (cast && sameLanguage(cast.language, language)) counts[cast.part % counts.length]!++
      }
      return counts
    }
    const [here, ever] = [count(present.map(({ userId }) => userId)), count(this.#parts.keys())]
    return Array.from(here.keys()).reduce((best, part) =>
      (here[part]! - here[best]! || ever[part]! - ever[best]!) < 0 ? part : best,
    )
  }

  #update(): void {
    const offered = this.#options.offered()
    if (offered === this.#offered) return
    this.#offered = offered
    const pools = poolsOf(offered, this.#options.only ?? [])
    const parts = Math.max(0, ...Array.from(pools.values(), ({ length }) => length))
    this.#voices = Array.from({ length: parts }, (_, part) =>
      Object.fromEntries(Array.from(pools, ([language, ids]) => [language, ids[part % ids.length]!])),
    )
  }
}

/** The voices of each language that has several, with the genders in turn, so that the first ones differ most. */
function poolsOf(
  offered: readonly CastableVoice[],
  only: readonly string[],
): ReadonlyMap<LanguageId, readonly string[]> {
  const usable = offered.filter(
    ({ id, language }) => isVoiceId(id) && isLanguageId(language) && (only.length === 0 || only.includes(id)),
  )
  const pools = Map.groupBy(usable, ({ language }) => language)
  return new Map(
    Array.from(pools, ([language, voices]) => [language, alternating(voices)] as const).filter(
      ([, ids]) => ids.length > 1 || only.length > 0,
    ),
  )
}

function alternating(voices: readonly CastableVoice[]): readonly string[] {
  const groups = Array.from(Map.groupBy(voices, ({ gender }) => gender).values())
  const longest = Math.max(...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => groups.flatMap(group => group[at]?.id ?? [])).flat()
}
