import { type LanguageId, sameLanguage } from './languages.ts'
import type { PartyState } from './party-state.ts'

/** A party as far as routing goes. */
export interface Party {
  readonly id: string
  readonly state: Pick<PartyState, 'speaks' | 'hears' | 'interpreting'>
  /** Alone in the room they hear their own translation. */
  readonly echo: boolean
}

/** Who hears whom, and by which translation. */
export interface Route {
  readonly speaker: string
  readonly listener: string
  /** The language to translate into; absent when the listener hears the original only. */
  readonly to?: LanguageId
}

/** The language `speaker` must be translated into for `listener`; undefined when the original does. */
function wanted({ state: speaker }: Party, { state: listener }: Party): LanguageId | undefined {
  if (!speaker.interpreting || !listener.interpreting) return undefined
  if (!speaker.speaks || !listener.hears || sameLanguage(speaker.speaks, listener.hears)) return undefined
  return listener.hears
}

/**
 * The routes of a room: everybody hears everybody but themself, each in the language they want. Somebody alone hears
 * their own translation, unless they wait for another: the simplest use, one number and one caller.
 */
export function routesOf(parties: readonly Party[]): Route[] {
  const routes: Route[] = []
  for (const speaker of parties) {
    // Who speaks no language only listens.
    if (!speaker.state.speaks) continue
    for (const listener of parties) {
      const alone = parties.length === 1
      if (speaker === listener && !alone) continue
      const to = wanted(speaker, listener)
      if (alone && (!to || !speaker.echo)) continue
      routes.push({ speaker: speaker.id, listener: listener.id, ...(to ? { to } : {}) })
    }
  }
  return routes
}
