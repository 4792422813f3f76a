import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Receives } from '../model/invitation.ts'
import type { ParticipantState } from '../model/participant-state.ts'

/** The part of a participant that routing needs. */
export interface Party {
  readonly id: string
  readonly state: Pick<ParticipantState, 'speaks' | 'hears' | 'voice' | 'translatedVoices' | 'interpreting'>
  /** True: alone in a room, they hear their own translation. */
  readonly echo: boolean
  /** Participants in one shared space hear each other's originals directly. */
  readonly sharedSpace?: string | undefined
  /** Default `audio`. */
  readonly receives?: Receives | undefined
  /** True for the audience of a language, which also reads captions. */
  readonly isAudience?: boolean
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
  const transcribed: Party[] = []
  /** The voice of the first translation into each language; undefined: the default voice. */
  const voices = new Map<LanguageId, string | undefined>()
  for (const listener of parties) {
    const { receives = 'audio' } = listener
    if (receives === 'none') continue
    if (speaker !== listener && (receives === 'captions' || listener.isAudience)) transcribed.push(listener)
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
    const voice = to && (listener.state.voice ?? speaker.state.translatedVoices?.[to])
    if (to && !voices.has(to)) voices.set(to, voice)
    routes.push({
      speaker: speaker.id,
      listener: listener.id,
      to,
      voice,
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
      voice,
    })
  }
  // A translation includes the original text; without one, the speaker is transcribed separately.
  const transcriber = transcribed.find(reader => transcribes(speaker, reader))
  if (transcriber && speaker.state.speaks && !routes.some(({ to }) => to !== undefined))
    routes.push({ speaker: speaker.id, listener: transcriber.id, to: speaker.state.speaks, reads: true })
  return routes
}

/** True if `reader` reads the speaker's language. */
function transcribes({ state: speaker }: Party, { state: reader }: Party): boolean {
  if (!speaker.interpreting || !reader.interpreting || !speaker.speaks || !reader.hears) return false
  return sameLanguage(speaker.speaks, reader.hears)
}

/** All routes that use one translation. */
export interface TranslationRoutes {
  readonly speaker: string
  readonly to: LanguageId
  /** The voice of the translation; undefined: the default voice. */
  readonly voice: string | undefined
  /** Ids of its listeners and caption readers. */
  readonly listeners: ReadonlySet<string>
}

/** A route to an audible speaker, with the key of its translation, if any. */
export interface Heard {
  readonly route: Route
  readonly key: string | undefined
}

interface Growing extends TranslationRoutes {
  readonly listeners: Set<string>
}

const NONE: readonly never[] = []

/**
 * The routes of a room, grouped. The number of routes grows with the square of the participants, so they are grouped in
 * one pass instead of being searched for each listener, speaker and translation.
 */
export class RouteGroups {
  /** By the key of their interpretation. */
  readonly #translations = new Map<string, Growing>()
  readonly #ofListener = new Map<string, Heard[]>()
  readonly #ofSpeaker = new Map<string, Route[]>()

  /** `keyOf` returns the key of the interpretation for a route that has a target language. */
  constructor(routes: readonly Route[], keyOf: (route: Route, to: LanguageId) => string) {
    for (const route of routes) {
      const { speaker, listener, to, voice } = route
      const key = to === undefined ? undefined : keyOf(route, to)
      if (key !== undefined && to !== undefined) {
        const known = this.#translations.get(key)
        if (known) known.listeners.add(listener)
        else this.#translations.set(key, { speaker, to, voice, listeners: new Set([listener]) })
      }
      if (route.reads) continue
      grouped(this.#ofListener, listener).push({ route, key })
      if (!route.together) grouped(this.#ofSpeaker, speaker).push(route)
    }
  }

  /** The required translations, by key. */
  get translations(): ReadonlyMap<string, TranslationRoutes> {
    return this.#translations
  }

  /** The routes by which `listener` hears others. */
  toListener(listener: string): readonly Heard[] {
    return this.#ofListener.get(listener) ?? NONE
  }

  /** The routes by which others hear `speaker` through Dragoman. */
  fromSpeaker(speaker: string): readonly Route[] {
    return this.#ofSpeaker.get(speaker) ?? NONE
  }
}

/** Returns the group of `key`; creates it if necessary. */
export function grouped<T>(groups: Map<string, T[]>, key: string): T[] {
  const known = groups.get(key)
  if (known) return known
  const group: T[] = []
  groups.set(key, group)
  return group
}
