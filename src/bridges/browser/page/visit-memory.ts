import type { Outbound } from '../protocol.ts'

export type Caption = Extract<Outbound, { kind: 'caption' }>

/** What a page needs to return to its call. */
export interface Visit {
  readonly call: string
  readonly secret: string
  /** Link to the room, in a fleet. */
  readonly rejoin?: string | undefined
  /** End of the visit (ms since 1970). */
  readonly until: number
}

/** Final captions kept, and for how long (ms). */
const MOST_CAPTIONS = 60
const CAPTIONS_MS = 10 * 60_000
const VISITS = 'dragoman.visits'
const VISIT = 'dragoman.visit'
const CAPTIONS = 'dragoman.captions'
const NAME = 'dragoman.name'

export interface VisitMemoryOptions {
  /** Of this tab: survives a reload. */
  readonly tab: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  /** Of this browser: survives a crash, and is shared by tabs. */
  readonly browser: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
  /** The token of the page's link: tabs with the same one belong to the same person. */
  readonly link: string | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Remembers the current call, so that a reload, a crash or a second tab continues it, until it is over. Captions stay in the tab.
 * The name of the visitor is remembered for later calls.
 */
export class VisitMemory {
  readonly #options: VisitMemoryOptions
  readonly #key: string

  constructor(options: VisitMemoryOptions) {
    this.#options = options
    this.#key = options.link ?? ''
  }

  /** False: the browser stores nothing, so a reload loses the call. */
  get works(): boolean {
    return this.#options.tab !== undefined
  }

  /** The call of this tab, else the latest of a tab with the same link. */
  get visit(): Visit | undefined {
    const { tab, browser, now } = this.#options
    const found = read<Visit>(tab, VISIT) ?? read<Record<string, Visit>>(browser, VISITS)?.[this.#key]
    return found && found.until > now() ? found : undefined
  }

  keep(visit: Visit): void {
    const { tab, browser, now } = this.#options
    write(tab, VISIT, visit)
    const all = Object.entries(read<Record<string, Visit>>(browser, VISITS) ?? {})
    const current = all.filter(([, { until }]) => until > now())
    write(browser, VISITS, { ...Object.fromEntries(current), [this.#key]: visit })
  }

  /** The call is over: nothing of it remains. */
  forget(): void {
    const { tab, browser } = this.#options
    const own = read<Visit>(tab, VISIT)
    for (const key of [VISIT, CAPTIONS]) write(tab, key, undefined)
    const { [this.#key]: latest, ...others } = read<Record<string, Visit>>(browser, VISITS) ?? {}
    // The latest one can be that of another tab.
    if (latest && latest.call !== own?.call) return
    write(browser, VISITS, Object.keys(others).length === 0 ? undefined : others)
  }

  /** Keeps a final caption. */
  said(caption: Caption): void {
    const { tab, now } = this.#options
    const at = now()
    const others = this.#captions.filter(each => each.caption.utterance !== caption.utterance)
    write(tab, CAPTIONS, [...others, { at, caption }].slice(-MOST_CAPTIONS))
  }

  /** The captions of the last minutes. */
  get captions(): readonly Caption[] {
    return this.#captions.map(({ caption }) => caption)
  }

  get #captions(): readonly { readonly at: number; readonly caption: Caption }[] {
    const { tab, now } = this.#options
    const kept = read<{ at: number; caption: Caption }[]>(tab, CAPTIONS) ?? []
    return kept.filter(({ at }) => now() - at < CAPTIONS_MS)
  }

  get name(): string {
    return read<string>(this.#options.browser, NAME) ?? ''
  }

  set name(name: string) {
    write(this.#options.browser, NAME, name === '' ? undefined : name)
  }
}

/** Returns a storage of the browser, or undefined if it is blocked. */
export function storage(kind: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    const found = globalThis[kind]
    found.setItem('dragoman.test', '')
    found.removeItem('dragoman.test')
    return found
  } catch {
    return undefined
  }
}

function read<T>(from: VisitMemoryOptions['tab'], key: string): T | undefined {
  try {
    const text = from?.getItem(key) ?? null
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

function write(to: VisitMemoryOptions['tab'], key: string, value: unknown): void {
  try {
    if (value === undefined) to?.removeItem(key)
    else to?.setItem(key, JSON.stringify(value))
  } catch {
    // Full: the call goes on without.
  }
}
