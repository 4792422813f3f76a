import type { Config } from '../../config.ts'
import { type LanguageId, sameLanguage } from '../../core/languages.ts'

/** One direction of translation that the settings ask for. */
export interface LanguagePair {
  readonly from: LanguageId
  readonly to: LanguageId
  /** Where it comes from: `default`, a number, or a room. */
  readonly used: string
}

/** Every direction that calls may need: alone in a call, or among the numbers of one room. */
export function languagePairs({ languages, twilio }: Config): LanguagePair[] {
  const parties = Object.entries(twilio.numbers).map(([number, { speaks, hears, room }]) => ({
    number,
    room,
    speaks: speaks ?? languages.speaks,
    hears: hears ?? languages.hears,
  }))
  const pairs: LanguagePair[] = [{ from: languages.speaks, to: languages.hears, used: 'default' }]
  for (const speaker of parties) {
    if (speaker.speaks === 'none') continue
    const listeners =
      speaker.room === undefined ? [speaker] : parties.filter(({ room }) => room === speaker.room)
    for (const listener of listeners)
      pairs.push({
        from: speaker.speaks,
        to: listener.hears,
        used: speaker.room === undefined ? speaker.number : `room ${speaker.room}`,
      })
  }
  const seen = new Set<string>()
  return pairs.filter(({ from, to }) => {
    const key = `${from} ${to}`
    if (sameLanguage(from, to) || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
