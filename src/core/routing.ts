import type { Takes } from './invitation.ts'
import { type LanguageId, sameLanguage } from './languages.ts'
import type { PartyState } from './party-state.ts'

/** A party as far as routing goes. */
export interface Party {
  readonly id: string
  readonly state: Pick<PartyState, 'speaks' | 'hears' | 'voice' | 'interpreting'>
  /** Alone in the room they hear their own translation. */
  readonly echo: boolean
  /** Parties of one place hear each other's originals there. */
  readonly place?: string | undefined
  /** Default `voice`. */
  readonly takes?: Takes | undefined
}

/** Who hears or reads whom, and by which translation. */
export interface Route {
  readonly speaker: string
  readonly listener: string
  /** The language to translate into, the speaker's own for a transcript; absent when the listener hears the original only. */
  readonly to?: LanguageId
  /** The voice that speaks the translation; absent: the usual one. */
  readonly voice?: string
  /** The listener gets captions, and nothing to hear. */
  readonly reads?: true
  /** The listener hears the original without us. */
  readonly together?: true
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
    if (speaker.state.speaks) routes.push(...routesFrom(speaker, parties))
  }
  return routes
}

function routesFrom(speaker: Party, parties: readonly Party[]): Route[] {
  const routes: Route[] = []
  const readers: Party[] = []
  /** The voice of the first translation into each language; undefined: the usual one. */
  const voices = new Map<LanguageId, string | undefined>()
  for (const listener of parties) {
    const { takes = 'voice' } = listener
    if (takes === 'nothing') continue
    if (takes === 'text') {
      if (speaker !== listener) readers.push(listener)
      continue
    }
    const alone = parties.length === 1
    if (speaker === listener && !alone) continue
    const to = wanted(speaker, listener)
    if (alone && (!to || !speaker.echo)) continue
    const together = speaker.place !== undefined && speaker.place === listener.place && speaker !== listener
    if (together && !to) continue
    if (to && !voices.has(to)) voices.set(to, listener.state.voice)
    routes.push({
      speaker: speaker.id,
      listener: listener.id,
      ...(to ? { to } : {}),
      ...(to && listener.state.voice !== undefined ? { voice: listener.state.voice } : {}),
      ...(together ? { together } : {}),
    })
  }
  for (const reader of readers) {
    const to = wanted(speaker, reader)
    if (!to) continue
    // Whoever only reads needs no session of their own where somebody hears one, in whatever voice.
    const voice = voices.get(to)
    routes.push({
      speaker: speaker.id,
      listener: reader.id,
      to,
      reads: true,
      ...(voice === undefined ? {} : { voice }),
    })
  }
  // A translation brings the speaker's own words along; only where there is none they are transcribed for themselves.
  const transcriber = readers.find(reader => transcribes(speaker, reader))
  if (transcriber && speaker.state.speaks && !routes.some(({ to }) => to !== undefined))
    routes.push({ speaker: speaker.id, listener: transcriber.id, to: speaker.state.speaks, reads: true })
  return routes
}

/** `reader` reads the speaker's own words. */
function transcribes({ state: speaker }: Party, { state: reader }: Party): boolean {
  if (!speaker.interpreting || !reader.interpreting || !speaker.speaks || !reader.hears) return false
  return sameLanguage(speaker.speaks, reader.hears)
}
