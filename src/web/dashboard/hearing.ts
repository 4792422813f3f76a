import { describeEnd } from '../../common/lifecycle.ts'
import type { Reception } from '../../core/model/reception.ts'
import type { Interpretation } from '../../core/room/interpretation.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Room } from '../../core/room/room.ts'
import type { Hearing } from './state.ts'

/** Maximum number of names in an entry. */
const MOST_NAMES = 5

const ORDER: readonly Hearing['hears'][] = ['translation', 'captions', 'original', 'silence']

type Heard = Pick<Hearing, 'hears' | 'to' | 'why' | 'problem'>

/** Returns what each participant of `room` hears of the others, and why, by their IDs. */
export function hearingsOf(room: Room, nameOf: (id: string) => string): ReadonlyMap<string, Hearing[]> {
  const interpretations = Map.groupBy(room.interpretations, ({ speaker, to }) => keyOf(speaker.id, to))
  const receptions = Map.groupBy(room.receptions, ({ listener }) => listener)
  const all = new Map<string, Hearing[]>()
  for (const listener of room.participants.values()) {
    const heard: (readonly [speaker: string, Heard])[] = []
    const told = new Set([listener.id])
    for (const reception of receptions.get(listener.id) ?? []) {
      const speaker = room.participants.get(reception.speaker)
      if (!speaker) continue
      told.add(speaker.id)
      const used = interpretations.get(keyOf(speaker.id, reception.to))
      const interpretation = used?.find(({ listeners }) => listeners.has(listener.id))
      heard.push([nameOf(speaker.id), heardBy(listener, speaker, reception, interpretation)])
    }
    for (const speaker of room.participants.values())
      if (!told.has(speaker.id)) heard.push([nameOf(speaker.id), silence(unheard(listener, speaker))])
    all.set(listener.id, grouped(heard))
  }
  return all
}

function keyOf(speaker: string, to = ''): string {
  return `${speaker} ${to}`
}

function heardBy(
  listener: Participant,
  speaker: Participant,
  { gets, to: target }: Reception,
  interpretation: Interpretation | undefined,
): Heard {
  const to = target ?? null
  const own = speaker === listener
  const reads = listener.invitation.receives === 'captions'
  switch (gets) {
    case 'translated':
    case 'stand-in': {
      const hears = reads ? 'captions' : 'translation'
      if (gets === 'stand-in') return { hears, to, why: 'by a replacement engine', problem: true }
      return { hears, to, why: progress(interpretation), problem: false }
    }
    case 'unavailable':
      return { hears: own || reads ? 'silence' : 'original', to, why: fault(interpretation), problem: true }
    case 'original':
      return { hears: reads ? 'captions' : 'original', to, why: original(listener, speaker), problem: false }
    case 'nothing':
      return silence(speaker.state.muted ? 'muted' : 'they hear each other directly')
  }
}

function silence(why: string): Heard {
  return { hears: 'silence', to: null, why, problem: false }
}

/** Why nothing of `speaker` is meant for `listener`. */
function unheard({ invitation }: Participant, { state }: Participant): string {
  if (invitation.receives === 'none') return 'receives nothing'
  if (!state.speaks) return 'only listens'
  return invitation.receives === 'captions' ? 'no captions needed' : 'they hear each other directly'
}

function original({ state: listener }: Participant, { state: speaker }: Participant): string {
  if (!speaker.interpreting || !listener.interpreting) return 'interpretation is off'
  return listener.hears ? 'same language' : 'wants originals'
}

function progress(interpretation: Interpretation | undefined): string {
  const status = interpretation?.session.state.status
  if (status === 'live') return 'translating'
  return status === 'opening' ? 'connecting' : 'ready'
}

/** Why a translation is missing. */
function fault(interpretation: Interpretation | undefined): string {
  const { state, unavailable } = interpretation?.session ?? {}
  if (state?.status === 'ended') return `refused: ${describeEnd(state.reason)}`
  if (!unavailable) return 'the service sends text without a voice'
  if (state?.status === 'waiting' || state?.status === 'opening')
    return `waits for the service, attempt ${state.attempt}`
  return 'the service is unavailable'
}

function grouped(heard: readonly (readonly [speaker: string, Heard])[]): Hearing[] {
  const groups = Map.groupBy(heard, ([, { hears, to, why }]) => `${hears} ${to} ${why}`)
  return Array.from(groups.values(), group => ({
    ...group[0]![1],
    of: group.slice(0, MOST_NAMES).map(([speaker]) => speaker),
    count: group.length,
  })).sort((a, b) => Number(b.problem) - Number(a.problem) || ORDER.indexOf(a.hears) - ORDER.indexOf(b.hears))
}
