import type { LanguageId } from '../../common/language.ts'
import type { Route } from './routing.ts'

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
