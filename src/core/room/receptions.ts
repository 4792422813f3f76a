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

/** What a speaker or interpretation has to give. */
interface Offer {
  readonly given: Given
  /** It is missing, and they speak. */
  readonly missed: boolean
}

/** A speaker and a listener, and what is known of them. */
interface Pair {
  readonly speaker: Participant
  readonly listener: Participant
  to: LanguageId | undefined
  /** The interpretations from which the listener gets something: any of them suffices. */
  by: readonly Interpretation[]
  /** What they get as long as none of these lacks something; undefined: what the interpretation gives. */
  given: Offer | undefined
  /** Undefined until the first report. */
  reception: Reception | undefined
  /** When the speaker first spoke untranslated (clock ms). */
  missedSince: number
  /** Number of the last fit in which it existed. */
  fit: number
}

const NONE: readonly never[] = []
const MUTED: Offer = { given: { gets: 'nothing', why: 'muted' }, missed: false }
const IN_PERSON: Offer = { given: { gets: 'nothing', why: 'in-person' }, missed: false }
const NOTHING_READ: Offer = { given: { gets: 'nothing', why: 'interpreting-off' }, missed: false }
const SAME_LANGUAGE: Offer = { given: { gets: 'original', why: 'same-language' }, missed: false }
const INTERPRETING_OFF: Offer = { given: { gets: 'original', why: 'interpreting-off' }, missed: false }
const ORIGINALS_WANTED: Offer = { given: { gets: 'original', why: 'originals-wanted' }, missed: false }

/**
 * What each listener and reader of a room gets from each speaker: the only place where that is decided. Emits a `reception`
 * event for every change.
 */
export class Receptions {
  readonly #room: string
  readonly #observer: Observer
  /** By listener and speaker. The number of pairs is the square of that of participants, so they are kept and changed. */
  readonly #pairs = new Map<string, Map<string, Pair>>()
  #fits = 0
  /** What each interpretation gave at the last check. */
  readonly #interpretations = new Map<Interpretation, Offer>()

  constructor(room: string, observer: Observer) {
    this.#room = room
    this.#observer = observer
  }

  /** All of the room. */
  get all(): Reception[] {
    return Array.from(this.#pairs.keys()).flatMap(listener => this.of(listener))
  }

  /** What `listener` gets. */
  of(listener: string): Reception[] {
    return Array.from(this.#pairs.get(listener)?.values() ?? NONE, ({ reception }) => reception!)
  }

  /** Applies a change of the participants, their states or the interpretations. */
  fit({ participants, routes, interpretations }: RoomFacts, now: number): void {
    this.#fits++
    this.#interpretations.clear()
    for (const each of interpretations.values()) this.#interpretations.set(each, offerOf(each))
    for (const [key, { speaker, listeners, to }] of routes.translations) {
      const interpretation = interpretations.get(key)
      const from = participants.get(speaker)
      const by = interpretation ? [interpretation] : NONE
      for (const listener of listeners) this.#set(from, participants.get(listener), to, by, undefined)
    }
    const bySpeaker = Map.groupBy(interpretations.values(), ({ speaker }) => speaker)
    for (const listener of participants.values()) {
      for (const { route, key } of routes.toListener(listener.id)) {
        const speaker = participants.get(route.speaker)
        if (key === undefined) this.#set(speaker, listener, undefined, NONE, original(speaker, listener))
      }
      const { receives = 'audio' } = listener.invitation
      if (receives === 'none') continue
      const mine = this.#pairs.get(listener.id)
      for (const speaker of participants.values()) {
        if (speaker === listener || !speaker.state.speaks) continue
        if (mine?.get(speaker.id)?.fit === this.#fits) continue
        // The texts of a translation include the original; without interpretation, there are none.
        const by = receives === 'captions' ? (bySpeaker.get(speaker) ?? NONE) : NONE
        const given = receives === 'audio' ? IN_PERSON : by.length > 0 ? SAME_LANGUAGE : NOTHING_READ
        this.#set(speaker, listener, undefined, by, given)
      }
    }
    this.#settle(now)
  }

  /** Applies changes of the interpretations; call it a few times a second. */
  check(now: number): void {
    if (!this.#stale()) return
    for (const mine of this.#pairs.values())
      for (const pair of mine.values()) if (pair.by.length > 0) this.#update(pair, now)
  }

  /** The room has ended. */
  close(now: number): void {
    this.#interpretations.clear()
    this.#fits++
    this.#settle(now)
  }

  #set(
    speaker: Participant | undefined,
    listener: Participant | undefined,
    to: LanguageId | undefined,
    by: Pair['by'],
    given: Pair['given'],
  ): void {
    if (!speaker || !listener) return
    let mine = this.#pairs.get(listener.id)
    if (!mine) {
      mine = new Map()
      this.#pairs.set(listener.id, mine)
    }
    const fit = this.#fits
    const pair = mine.get(speaker.id)
    if (pair?.speaker === speaker && pair.listener === listener) {
      pair.to = to
      pair.by = by
      pair.given = given
      pair.fit = fit
    } else
      mine.set(speaker.id, { speaker, listener, to, by, given, reception: undefined, missedSince: 0, fit })
  }

  /** Updates the pairs of the last fit, and removes the others. */
  #settle(now: number): void {
    for (const [listener, mine] of this.#pairs) {
      for (const [speaker, pair] of mine) {
        if (pair.fit === this.#fits) this.#update(pair, now)
        else {
          mine.delete(speaker)
          this.#over(pair, now)
        }
      }
      if (mine.size === 0) this.#pairs.delete(listener)
    }
  }

  /** Returns true if an interpretation has changed. Rooms have many more pairs than interpretations. */
  #stale(): boolean {
    let stale = false
    for (const [interpretation, { given, missed }] of this.#interpretations) {
      const now = offerOf(interpretation)
      if (now.given === given && now.missed === missed) continue
      this.#interpretations.set(interpretation, now)
      stale = true
    }
    return stale
  }

  #update(pair: Pair, now: number): void {
    const { reception: before, speaker, listener, to } = pair
    const offer = this.#offerTo(pair)
    const { gets, why } = offer.given
    const missed = offer.missed || (gets === 'unavailable' && before?.missed === true && before.to === to)
    if (before?.gets === gets && before.why === why && before.missed === missed && before.to === to) return
    if (missed && !before?.missed) pair.missedSince = now
    const missedMs = before?.missed && !missed ? now - pair.missedSince : 0
    pair.reception = { speaker: speaker.id, listener: listener.id, to, gets, why, missed }
    this.#tell(pair, { ...pair.reception, missedMs })
  }

  #offerTo({ speaker, by, given }: Pair): Offer {
    if (speaker.state.muted) return MUTED
    let offer: Offer | undefined
    for (const each of by) {
      const found = this.#interpretations.get(each)
      if (found && found.given.gets !== 'unavailable') return given ?? found
      offer ??= found
    }
    return offer ?? given ?? NOTHING_READ
  }

  #over(pair: Pair, now: number): void {
    const { reception, missedSince } = pair
    const missedMs = reception?.missed ? now - missedSince : 0
    if (reception) this.#tell(pair, { ...reception, missed: false, missedMs, over: true })
  }

  #tell({ speaker }: Pair, event: Omit<ReceptionEvent, 'room' | 'name'>): void {
    if (!this.#observer.wants('reception')) return
    this.#observer.emit('reception', { room: this.#room, name: speaker.state.name, ...event })
  }
}

function offerOf({ given, speaking }: Interpretation): Offer {
  return { given, missed: given.gets === 'unavailable' && speaking }
}

/** Why `listener` gets the original. */
function original(speaker: Participant | undefined, { state }: Participant): Offer {
  if (!speaker?.state.interpreting || !state.interpreting) return INTERPRETING_OFF
  return state.hears ? SAME_LANGUAGE : ORIGINALS_WANTED
}
