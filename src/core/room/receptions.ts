import type { LanguageId } from '../../common/language.ts'
import type { Observer, ReceptionEvent } from '../model/events.ts'
import type { Given, Reception } from '../model/reception.ts'
import type { Interpretation } from './interpretation.ts'
import type { Participant } from './participant.ts'
import type { RouteGroups } from './routing.ts'

/** The facts of a room from which receptions are computed. */
export interface RoomFacts {
  readonly participants: ReadonlyMap<string, Participant>
  readonly routes: RouteGroups
  /** The interpretations in use, by the keys of `routes`. */
  readonly interpretations: ReadonlyMap<string, Interpretation>
}

/** A speaker and a listener. */
interface Pair {
  readonly speaker: Participant
  readonly listener: Participant
  readonly to: LanguageId | undefined
  /** The interpretations from which the listener gets something: any of them suffices. */
  readonly by: readonly Interpretation[]
  /** What they get as long as none of these lacks something; undefined: what the interpretation gives. */
  readonly given: Given | undefined
}

/** What is known of a pair. */
interface Known {
  readonly pair: Pair
  reception: Reception
  /** When the speaker first spoke untranslated (clock ms). */
  missedSince: number
}

const MUTED: Given = { gets: 'nothing', why: 'muted' }
const IN_PERSON: Given = { gets: 'nothing', why: 'in-person' }
const NOTHING_READ: Given = { gets: 'nothing', why: 'interpreting-off' }
const SAME_LANGUAGE: Given = { gets: 'original', why: 'same-language' }
const INTERPRETING_OFF: Given = { gets: 'original', why: 'interpreting-off' }
const ORIGINALS_WANTED: Given = { gets: 'original', why: 'originals-wanted' }

/**
 * What each listener and reader of a room gets from each speaker: the only place where that is decided. Emits a `reception`
 * event for every change.
 */
export class Receptions {
  readonly #room: string
  readonly #observer: Observer
  /** By listener and speaker. */
  #known: ReadonlyMap<string, ReadonlyMap<string, Known>> = new Map()
  /** What each interpretation gave at the last check. */
  #interpretations = new Map<Interpretation, { readonly given?: Given; readonly missed?: boolean }>()

  constructor(room: string, observer: Observer) {
    this.#room = room
    this.#observer = observer
  }

  /** All of the room. */
  get all(): Reception[] {
    return Array.from(this.#known.keys()).flatMap(listener => this.of(listener))
  }

  /** What `listener` gets. */
  of(listener: string): Reception[] {
    return Array.from(this.#known.get(listener)?.values() ?? [], ({ reception }) => reception)
  }

  /** Applies a change of the participants, their states or the interpretations. */
  fit(facts: RoomFacts, now: number): void {
    const before = this.#known
    const after = new Map<string, Map<string, Known>>()
    this.#known = after
    this.#interpretations = new Map(Array.from(facts.interpretations.values(), each => [each, {}]))
    for (const pair of pairsOf(facts)) {
      const { speaker, listener } = pair
      const last = before.get(listener.id)?.get(speaker.id)
      const reception = receptionOf(pair, last?.reception)
      const known = { pair, reception, missedSince: last?.missedSince ?? now }
      const mine = after.get(listener.id) ?? new Map<string, Known>()
      after.set(listener.id, mine.set(speaker.id, known))
      this.#report(known, last?.reception, now)
    }
    for (const [listener, theirs] of before)
      for (const [speaker, known] of theirs) if (!after.get(listener)?.has(speaker)) this.#over(known, now)
  }

  /** Applies changes of the interpretations; call it a few times a second. */
  check(now: number): void {
    if (!this.#stale()) return
    for (const mine of this.#known.values())
      for (const known of mine.values()) {
        const { pair, reception } = known
        if (pair.by.length === 0) continue
        known.reception = receptionOf(pair, reception)
        this.#report(known, reception, now)
      }
  }

  /** The room has ended. */
  close(now: number): void {
    const before = this.#known
    this.#known = new Map()
    for (const mine of before.values()) for (const known of mine.values()) this.#over(known, now)
  }

  /** Returns true if an interpretation has changed. Rooms have many more pairs than interpretations. */
  #stale(): boolean {
    let stale = false
    for (const [interpretation, seen] of this.#interpretations) {
      const { given, speaking } = interpretation
      const missed = given.gets === 'unavailable' && speaking
      if (seen.given === given && seen.missed === missed) continue
      this.#interpretations.set(interpretation, { given, missed })
      stale = true
    }
    return stale
  }

  /** Reports a change from `before` on. */
  #report(known: Known, before: Reception | undefined, now: number): void {
    const { reception, pair, missedSince } = known
    if (reception === before) return
    if (reception.missed && !before?.missed) known.missedSince = now
    const missedMs = before?.missed && !reception.missed ? now - missedSince : 0
    this.#tell(pair, { ...reception, missedMs })
  }

  #over({ reception, pair, missedSince }: Known, now: number): void {
    const missedMs = reception.missed ? now - missedSince : 0
    this.#tell(pair, { ...reception, missed: false, missedMs, over: true })
  }

  #tell({ speaker }: Pair, event: Omit<ReceptionEvent, 'room' | 'name'>): void {
    this.#observer.emit('reception', { room: this.#room, name: speaker.state.name, ...event })
  }
}

/** Returns what the listener of `pair` gets now: `before` itself if that has not changed. */
function receptionOf(pair: Pair, before: Reception | undefined): Reception {
  const { speaker, listener, to, by } = pair
  const { gets, why } = givenTo(pair)
  const lacked = before?.missed && before.to === to
  const missed = gets === 'unavailable' && (lacked || by.some(({ speaking }) => speaking))
  if (before?.gets === gets && before.why === why && before.missed === missed && before.to === to)
    return before
  return { speaker: speaker.id, listener: listener.id, to, gets, why, missed }
}

function givenTo({ speaker, by, given }: Pair): Given {
  if (speaker.state.muted) return MUTED
  const [first] = by
  if (first === undefined) return given ?? NOTHING_READ
  const best = by.find(({ lack }) => lack === undefined)
  return best === undefined ? first.given : (given ?? best.given)
}

function* pairsOf({ participants, routes, interpretations }: RoomFacts): Generator<Pair> {
  const bySpeaker = Map.groupBy(interpretations.values(), ({ speaker }) => speaker)
  /** By listener: the speakers whom they get by a route. */
  const routed = new Map<string, Set<string>>()
  const pairOf = (speaker: string, listener: string, rest: Pick<Pair, 'to' | 'by' | 'given'>): Pair[] => {
    const [from, at] = [participants.get(speaker), participants.get(listener)]
    const mine = routed.get(listener) ?? new Set<string>()
    routed.set(listener, mine.add(speaker))
    return from && at ? [{ speaker: from, listener: at, ...rest }] : []
  }
  for (const [key, { speaker, listeners, to }] of routes.translations) {
    const interpretation = interpretations.get(key)
    const by = interpretation ? [interpretation] : []
    for (const listener of listeners) yield* pairOf(speaker, listener, { to, by, given: undefined })
  }
  for (const listener of participants.values()) {
    for (const { route, key } of routes.toListener(listener.id)) {
      const given = original(participants.get(route.speaker), listener)
      if (key === undefined) yield* pairOf(route.speaker, listener.id, { to: undefined, by: [], given })
    }
    const { receives = 'audio' } = listener.invitation
    if (receives === 'none') continue
    for (const speaker of participants.values()) {
      if (speaker === listener || !speaker.state.speaks || routed.get(listener.id)?.has(speaker.id)) continue
      // The texts of a translation include the original; without interpretation, there are none.
      const by = receives === 'captions' ? (bySpeaker.get(speaker) ?? []) : []
      const given = receives === 'audio' ? IN_PERSON : by.length > 0 ? SAME_LANGUAGE : NOTHING_READ
      yield* pairOf(speaker.id, listener.id, { to: undefined, by, given })
    }
  }
}

/** Why `listener` gets the original. */
function original(speaker: Participant | undefined, { state }: Participant): Given {
  if (!speaker?.state.interpreting || !state.interpreting) return INTERPRETING_OFF
  return state.hears ? SAME_LANGUAGE : ORIGINALS_WANTED
}
