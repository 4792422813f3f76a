import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Receives } from '../model/invitation.ts'
import type { ParticipantState } from '../model/participant-state.ts'

/** The part of a participant that routing needs. */
export interface Party {
  readonly id: string
  readonly state: Pick<ParticipantState, 'speaks' | 'hears' | 'voice' | 'interpreting'>
  /** True: alone in a room, they hear their own translation. */
  readonly echo: boolean
  /** Participants in one shared space hear each other's originals directly. */
  readonly sharedSpace?: string | undefined
  /** Default `audio`. */
  readonly receives?: Receives | undefined
}

/** A listener or reader of a speaker, and the translation used. */
export interface Route {
  readonly speaker: string
  readonly listener: string
  /** The target language, or the speaker's own for a transcript; absent when the listener hears only the original. */
  readonly to?: LanguageId
  /** The voice of the translation; absent: the default voice. */
  readonly voice?: string
  /** The listener gets captions only. */
  readonly reads?: true
  /** The listener hears the original directly, without Dragoman. */
  readonly together?: true
}

/** Returns the language into which `speaker` is translated for `listener`; undefined if the original suffices. */
function wanted({ state: speaker }: Party, { state: listener }: Party): LanguageId | undefined {
  if (!speaker.interpreting || !listener.interpreting) return undefined
  if (!speaker.speaks || !listener.hears || sameLanguage(speaker.speaks, listener.hears)) return undefined
  return listener.hears
}

/**
 * Returns the routes of a room: everyone hears everyone else, each in their own language. A participant who is alone
 * hears their own translation, unless they wait for another: the simplest use, one number and one caller.
 */
export function routesOf(parties: readonly Party[]): Route[] {
  const routes: Route[] = []
  for (const speaker of parties) {
    // A participant without a spoken language only listens.
    if (speaker.state.speaks) routes.push(...routesFrom(speaker, parties))
  }
  return routes
}

function routesFrom(speaker: Party, parties: readonly Party[]): Route[] {
  const routes: Route[] = []
  const readers: Party[] = []
  /** The voice of the first translation into each language; undefined: the default voice. */
  const voices = new Map<LanguageId, string | undefined>()
  for (const listener of parties) {
    const { receives = 'audio' } = listener
    if (receives === 'none') continue
    if (receives === 'captions') {
      if (speaker !== listener) readers.push(listener)
      continue
    }
    const alone = parties.length === 1
    if (speaker === listener && !alone) continue
    const to = wanted(speaker, listener)
    if (alone && (!to || !speaker.echo)) continue
    const together =
      speaker.sharedSpace !== undefined &&
      speaker.sharedSpace === listener.sharedSpace &&
      speaker !== listener
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
    // A reader reuses an existing session of any voice.
    const voice = voices.get(to)
    routes.push({
      speaker: speaker.id,
      listener: reader.id,
      to,
      reads: true,
      ...(voice === undefined ? {} : { voice }),
    })
  }
  // A translation includes the original text; without one, the speaker is transcribed separately.
  const transcriber = readers.find(reader => transcribes(speaker, reader))
  if (transcriber && speaker.state.speaks && !routes.some(({ to }) => to !== undefined))
    routes.push({ speaker: speaker.id, listener: transcriber.id, to: speaker.state.speaks, reads: true })
  return routes
}

/** True if `reader` reads the speaker's language. */
function transcribes({ state: speaker }: Party, { state: reader }: Party): boolean {
  if (!speaker.interpreting || !reader.interpreting || !speaker.speaks || !reader.hears) return false
  return sameLanguage(speaker.speaks, reader.hears)
}
