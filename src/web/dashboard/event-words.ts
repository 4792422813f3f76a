import { describeEnd } from '../../common/errors.ts'
import type { RelayEvents, SessionEvent } from '../../core/model/events.ts'
import type { RecordingFault } from '../../core/model/recorder.ts'
import type { EventKind, EventLine } from './protocol.ts'

/** An event line without its number and time. */
export type EventWords = Omit<EventLine, 'id' | 'at'>

type Told = Exclude<keyof RelayEvents, 'level' | 'lag' | 'caption'>

/** Describes each event; undefined for events shown elsewhere. Descriptions never contain transcripts. */
export const EVENT_WORDS: { readonly [K in Told]: (event: RelayEvents[K]) => EventWords | undefined } = {
  room: ({ room, state }) => line('room', room, null, state === 'opened' ? 'opened' : 'closed'),
  admitted: ({ room, participant, channel, speaks, hears }) =>
    line('party', room, participant, `joined by ${channel}, ${languages(speaks, hears)}`),
  lost: ({ room, participant, reason, keepMs }) =>
    bad(
      line(
        'party',
        room,
        participant,
        `disconnected (${describeEnd(reason)}), can reconnect for ${seconds(keepMs)}`,
      ),
    ),
  returned: ({ room, participant, awayMs }) =>
    line('party', room, participant, `reconnected after ${seconds(awayMs)}`),
  left: ({ room, participant, reason }) => {
    const told = line('party', room, participant, `left: ${describeEnd(reason)}`)
    return reason.kind === 'failed' ? bad(told) : told
  },
  changed: ({ room, participant, state, changes }) =>
    line('party', room, participant, changes.map(key => `${key}: ${state[key] ?? 'nothing'}`).join(', ')),
  session: event => {
    const { room, speaker, to, status, attempt, reason } = event
    if (status === 'opening' && attempt <= 1) return undefined
    const told = line('session', room, speaker, `translation into ${to}: ${sessionWords(event)}`)
    return status === 'waiting' || reason?.kind === 'failed' ? bad(told) : told
  },
  service: ({ place, status }) => {
    const name = place === 0 ? 'the service' : `fallback service ${place}`
    return status === 'open'
      ? bad(line('service', null, null, `${name} does not respond`))
      : line('service', null, null, `${name} responds again`)
  },
  away: ({ room, participant, away, forMs }) =>
    away
      ? bad(line('service', room, participant, 'translation unavailable, hears original'))
      : line('service', room, participant, `hears translations again after ${seconds(forMs)}`),
  echo: ({ room, participant, utterance }) =>
    line(
      'speech',
      room,
      participant,
      utterance === undefined ? 'is played with an echo' : 'an echo was dropped',
    ),
  // Successful utterances are in the latency chart.
  utterance: ({ room, listener, stage }) =>
    stage === 'dropped' ? bad(line('speech', room, listener, 'utterance dropped')) : undefined,
  notice: ({ room, participant, notice, stage }) =>
    stage === 'begun' ? line('speech', room, participant, `hears the notice: ${notice}`) : undefined,
  // The key itself can be a secret.
  dtmf: ({ room, participant }) => line('party', room, participant, 'pressed a key'),
  command: ({ room, participant, action }) => line('party', room, participant, `key command: ${action}`),
  dial: ({ room, call, outcome, code }) =>
    line('call', room, null, `${call}: ${outcome}${code === undefined ? '' : ` (${code})`}`),
  recording: ({ room, state, fault }) =>
    fault === undefined
      ? line('recording', room, null, `recording: ${state}`)
      : bad(line('recording', room, null, `recording: ${RECORDING_FAULTS[fault]}`)),
}

const RECORDING_FAULTS: Record<RecordingFault, string> = {
  'disk-failed': 'the disk failed, sound is missing',
  'disk-slow': 'the disk is too slow, sound is missing',
}

function line(kind: EventKind, room: string | null, who: string | null, text: string): EventWords {
  return { kind, room, who, text, bad: false }
}

function bad(words: EventWords): EventWords {
  return { ...words, bad: true }
}

function languages(speaks: string | undefined, hears: string | undefined): string {
  return `${speaks === undefined ? 'only listens' : `speaks ${speaks}`}, hears ${hears ?? 'originals'}`
}

function sessionWords({ status, attempt, reason }: SessionEvent): string {
  if (status === 'waiting') return `lost, attempt ${attempt}`
  if (status === 'ended') return `ended${reason === undefined ? '' : ` (${describeEnd(reason)})`}`
  return attempt > 1 ? `${status}, attempt ${attempt}` : status
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
