import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Config } from '../../config/load.ts'

/** A translation direction that the settings need. */
export interface LanguagePair {
  readonly from: LanguageId
  readonly to: LanguageId
  /** Origin: `default`, a number, or a room. */
  readonly used: string
}

/** Returns every direction that calls can need: alone in a call, or among the numbers of a room. */
export function languagePairs({ languages, twilio, discord }: Config): LanguagePair[] {
  const alone = Object.entries(twilio.numbers).filter(([, { dial, menu }]) => !dial && !menu)
  const parties = alone.map(([number, { speaks, hears, room }]) => ({
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
  for (const [number, settings] of Object.entries(twilio.numbers))
    pairs.push(...dialledPairs(number, settings, languages))
  pairs.push(...channelPairs(discord))
  const seen = new Set<string>()
  return pairs.filter(({ from, to }) => {
    const key = `${from} ${to}`
    if (sameLanguage(from, to) || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Languages played in Discord channels at the start, from the default language of their people. */
function channelPairs({ token, language, output }: Config['discord']): LanguagePair[] {
  if (token === undefined) return []
  const speak = [...output, ...(language === undefined ? [] : [language])]
  return speak.flatMap(from => output.map(to => ({ from, to, used: 'discord.output' })))
}

type Languages = Config['languages']
type NumberSettings = Config['twilio']['numbers'][string]

/** Both directions between callers of a number and the called participant, for each language of a menu. */
function dialledPairs(
  used: string,
  { speaks, hears, dial, menu }: NumberSettings,
  languages: Languages,
): LanguagePair[] {
  const offered = menu?.languages ?? []
  const among = offered.flatMap(from => offered.map(to => ({ from, to, used })))
  if (!dial) return among
  const own = speaks ?? languages.speaks
  const callers =
    offered.length > 0
      ? offered.map(each => ({ speaks: each, hears: each }))
      : [{ speaks: own, hears: hears ?? (own === 'none' ? languages.hears : own) }]
  // Both participants hear their own language, unless the settings differ.
  const called = {
    speaks: dial.speaks,
    hears: dial.hears ?? (dial.speaks === 'none' ? languages.hears : dial.speaks),
  }
  return callers.flatMap(caller => [
    ...(caller.speaks === 'none' ? [] : [{ from: caller.speaks, to: called.hears, used }]),
    ...(called.speaks === 'none' ? [] : [{ from: called.speaks, to: caller.hears, used }]),
  ])
}
