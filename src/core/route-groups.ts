import type { LanguageId } from './languages.ts'
import type { Route } from './routing.ts'

/** All routes by one translation. */
export interface TranslationRoutes {
  readonly speaker: string
  readonly to: LanguageId
  /** The voice that speaks it; undefined: the usual one. */
  readonly voice: string | undefined
  /** Ids of those who hear or read it. */
  readonly listeners: ReadonlySet<string>
}

/** A route to hear somebody, and the key of the translation by which. */
export interface Heard {
  readonly route: Route
  readonly key: string | undefined
}

interface Growing extends TranslationRoutes {
  readonly listeners: Set<string>
}

const NONE: readonly never[] = []

/**
 * The routes of a room as those ask for them who make it fit. A room of many has a route for every two of them, so they
 * are gone through once, and not again for each listener, speaker and translation.
 */
export class RouteGroups {
  /** By the key of their interpretation. */
  readonly #translations = new Map<string, Growing>()
  readonly #ofListener = new Map<string, Heard[]>()
  readonly #ofSpeaker = new Map<string, Route[]>()

  /** `keyOf` names the interpretation by which a route goes that has a language to translate into. */
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

  /** The translations that are wanted, by key. */
  get translations(): ReadonlyMap<string, TranslationRoutes> {
    return this.#translations
  }

  /** By which `listener` hears others. */
  toListener(listener: string): readonly Heard[] {
    return this.#ofListener.get(listener) ?? NONE
  }

  /** By which others hear `speaker` through us. */
  fromSpeaker(speaker: string): readonly Route[] {
    return this.#ofSpeaker.get(speaker) ?? NONE
  }
}

/** The group of `key`, which is begun where there is none. */
export function grouped<T>(groups: Map<string, T[]>, key: string): T[] {
  const known = groups.get(key)
  if (known) return known
  const group: T[] = []
  groups.set(key, group)
  return group
}
