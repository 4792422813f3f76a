import type { Wish } from './caption-store.ts'

/** The reader’s preferences, stored by the browser. */
export interface Preferences extends Wish {
  /** Text size (rem). */
  readonly size: number
  readonly look: Look
  readonly awake: boolean
}

export const LOOKS = ['system', 'light', 'dark', 'contrast'] as const
export type Look = (typeof LOOKS)[number]
const SHOWS = ['both', 'translation', 'original'] as const

/** Text sizes (rem): from a phone to a wall. */
export const SIZES = [1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8] as const

const STORED = 'dragoman.captions'
const DEFAULTS: Preferences = { show: 'both', language: '', size: 2, look: 'system', awake: true }

/**
 * Returns the stored preferences, overridden by the address (`show`, `to`, `size`, `look`). Invalid values are ignored.
 */
export function readPreferences(said: URLSearchParams): Preferences {
  const asked = {
    ...(said.has('show') ? { show: said.get('show') } : {}),
    ...(said.has('to') ? { language: said.get('to') } : {}),
    ...(said.has('size') ? { size: Number(said.get('size')) } : {}),
    ...(said.has('look') ? { look: said.get('look') } : {}),
  }
  return sensible({ ...stored(), ...asked })
}

export function storePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(STORED, JSON.stringify(preferences))
  } catch {
    // Without storage, the defaults apply.
  }
}

/** Returns the next size, `by` steps larger (or smaller). */
export function nextSize(size: number, by: number): number {
  const at = SIZES.findIndex(each => each >= size)
  return SIZES[Math.max(0, Math.min(SIZES.length - 1, at + by))]!
}

function sensible(given: Partial<Record<keyof Preferences, unknown>>): Preferences {
  const { show, language, size, look, awake } = given
  return {
    show: SHOWS.find(each => each === show) ?? DEFAULTS.show,
    language:
      typeof language === 'string' && /^[a-z]{2,3}-[a-z0-9]{2,3}$/i.test(language)
        ? language.toLowerCase()
        : '',
    size: SIZES.find(each => each === size) ?? DEFAULTS.size,
    look: LOOKS.find(each => each === look) ?? DEFAULTS.look,
    awake: typeof awake === 'boolean' ? awake : DEFAULTS.awake,
  }
}

function stored(): object {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
