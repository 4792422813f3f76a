import type { Gets, Reception, Why } from '../../core/model/reception.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Room } from '../../core/room/room.ts'
import type { Hearing } from './state.ts'

/** Maximum number of names in an entry. */
const MOST_NAMES = 5

const ORDER: readonly Hearing['hears'][] = ['translation', 'captions', 'original', 'silence']

const WHY_WORDS: Readonly<Record<Why, string>> = {
  'service-unavailable': 'the service is unavailable',
  'no-place': 'all sessions of the service are in use',
  refused: 'the service refuses it',
  'no-connection': 'no connection to the service',
  'no-voice': 'the service sends text without a voice',
  'replacement-engine': 'by a replacement engine',
  'fallback-service': 'by a fallback service',
  'same-language': 'same language',
  'interpreting-off': 'interpretation is off',
  'originals-wanted': 'wants originals',
  muted: 'muted',
  'in-person': 'they hear each other directly',
}

/** Returns the reason in words. */
export function whyWords(why: Why | undefined): string {
  return why === undefined ? 'translating' : WHY_WORDS[why]
}

type Heard = Pick<Hearing, 'hears' | 'to' | 'why' | 'problem'>

/** Returns what each participant of `room` hears of the others, and why, by their IDs. */
export function hearingsOf(room: Room, nameOf: (id: string) => string): ReadonlyMap<string, Hearing[]> {
  const all = new Map<string, Hearing[]>()
  for (const listener of room.participants.values()) {
    const heard: (readonly [speaker: string, Heard])[] = []
    const told = new Set([listener.id])
    for (const reception of room.receptionsOf(listener.id)) {
      told.add(reception.speaker)
      heard.push([nameOf(reception.speaker), heardBy(listener, reception)])
    }
    // Only speakers and listeners have receptions.
    const why = listener.invitation.receives === 'none' ? 'receives nothing' : 'only listens'
    for (const { id } of room.participants.values())
      if (!told.has(id)) heard.push([nameOf(id), { hears: 'silence', to: null, why, problem: false }])
    all.set(listener.id, grouped(heard))
  }
  return all
}

function heardBy({ id, invitation }: Participant, { speaker, gets, to, why }: Reception): Heard {
  const reads = invitation.receives === 'captions'
  const hears: Readonly<Record<Gets, Hearing['hears']>> = {
    translated: reads ? 'captions' : 'translation',
    'stand-in': reads ? 'captions' : 'translation',
    original: reads ? 'captions' : 'original',
    unavailable: reads || speaker === id ? 'silence' : 'original',
    nothing: 'silence',
  }
  const problem = gets === 'unavailable' || gets === 'stand-in'
  return { hears: hears[gets], to: gets === 'nothing' ? null : (to ?? null), why: whyWords(why), problem }
}

function grouped(heard: readonly (readonly [speaker: string, Heard])[]): Hearing[] {
  const groups = Map.groupBy(heard, ([, { hears, to, why }]) => `${hears} ${to} ${why}`)
  return Array.from(groups.values(), group => ({
    ...group[0]![1],
    of: group.slice(0, MOST_NAMES).map(([speaker]) => speaker),
    count: group.length,
  })).sort((a, b) => Number(b.problem) - Number(a.problem) || ORDER.indexOf(a.hears) - ORDER.indexOf(b.hears))
}
