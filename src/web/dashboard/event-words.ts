import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import type { RelayEvents, SessionEvent } from '../../core/model/events.ts'
import type { ParticipantKey, ParticipantState } from '../../core/model/participant-state.ts'
import type { RecordingFault } from '../../core/model/recording.ts'
import { languageName } from '../../pages/page/languages.ts'
import { whyWords } from './hearing.ts'
import { channelName } from './page/names.ts'
import type { EventKind, EventLine } from './state.ts'

/** An event line without its number and time. */
export type EventWords = Omit<EventLine, 'id' | 'at'>

type Told = Exclude<keyof RelayEvents, 'level' | 'lag' | 'earVoice' | 'caption' | 'audience'>

/** How participants join, by the name of their channel. */
const ARRIVALS: Readonly<Record<string, string>> = {
  Phone: 'by phone',
  Browser: 'from a browser',
  Discord: 'on Discord',
}

/** Describes a changed setting of a participant. */
const CHANGE_WORDS: { readonly [K in ParticipantKey]: (state: ParticipantState) => string } = {
  speaks: ({ speaks }) => speakingWords(speaks),
  hears: ({ hears }) => hearingWords(hears),
  voice: ({ voice }) => `hears ${voice === undefined ? 'the default voice' : `the voice ${voice}`}`,
  translatedVoices: ({ translatedVoices }) =>
    `is translated in ${translatedVoices === undefined ? 'the default voice' : 'a chosen voice'}`,
  original: ({ original }) => `original voices: ${original}`,
  name: ({ name }) => (name === undefined ? 'removed the name' : `is now called ${name}`),
  muted: ({ muted }) => (muted ? 'muted' : 'no longer muted'),
  interpreting: ({ interpreting }) => (interpreting ? 'interpretation on' : 'interpretation off'),
}

/** Describes each event; undefined for events shown elsewhere. Descriptions never contain transcripts. */
export const EVENT_WORDS: { readonly [K in Told]: (event: RelayEvents[K]) => EventWords | undefined } = {
  room: ({ room, state }) => line('room', room, null, state === 'opened' ? 'opened' : 'closed'),
  admitted: ({ room, participant, channel, speaks, hears }) =>
    line(
      'party',
      room,
      participant,
      `joined ${ARRIVALS[channelName(channel)] ?? `by ${channel}`}, ${speakingWords(speaks)}, ${hearingWords(hears)}`,
    ),
  disconnected: ({ room, participant, reason, reconnectWindowMs }) =>
    bad(
      line(
        'party',
        room,
        participant,
        `disconnected (${endOf(reason)}), can reconnect for ${seconds(reconnectWindowMs)}`,
      ),
    ),
  reconnected: ({ room, participant, absentMs }) =>
    line('party', room, participant, `reconnected after ${seconds(absentMs)}`),
  left: ({ room, participant, reason }) => {
    const told = line('party', room, participant, `left: ${endOf(reason)}`)
    return reason.kind === 'failed' ? bad(told) : told
  },
  changed: ({ room, participant, state, changes }) =>
    line('party', room, participant, changes.map(key => CHANGE_WORDS[key](state)).join(', ')),
  session: event => {
    const { room, speaker, to, status, attempt, reason } = event
    if (status === 'idle' || (status === 'opening' && attempt <= 1)) return undefined
    const told = line(
      'session',
      room,
      speaker,
      `translation into ${languageName(to)}: ${sessionWords(event)}`,
    )
    return status === 'waiting' || status === 'queued' || reason?.kind === 'failed' ? bad(told) : told
  },
  service: ({ upstream, status }) => {
    const name = upstream === 0 ? 'the service' : `fallback service ${upstream}`
    return status === 'open'
      ? bad(line('service', null, null, `${name} does not respond`))
      : line('service', null, null, `${name} responds again`)
  },
  reception: ({ room, speaker, listener, to, why, missed, missedMs }) => {
    if (missedMs > 0) return line('service', room, listener, `translated again after ${seconds(missedMs)}`)
    if (!missed || to === undefined) return undefined
    const language = languageName(to)
    const words =
      speaker === listener
        ? `is not translated into ${language}`
        : `lacks a translation into ${language}, hears original`
    return bad(line('service', room, listener, `${words}: ${whyWords(why)}`))
  },
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
    stage === 'begun'
      ? line('speech', room, participant, `hears the notice ${notice.replace(/^notice (\S+) .*/, '$1')}`)
      : undefined,
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

function speakingWords(speaks: string | undefined): string {
  return speaks === undefined ? 'only listens' : `speaks ${languageName(speaks)}`
}

function hearingWords(hears: string | undefined): string {
  return `hears ${hears === undefined ? 'originals' : languageName(hears)}`
}

function sessionWords({ status, attempt, reason }: SessionEvent): string {
  if (status === 'waiting') return `lost, attempt ${attempt}`
  if (status === 'queued') return 'waits for a free session of the service'
  if (status === 'ended') return `ended${reason === undefined ? '' : ` (${endOf(reason)})`}`
  return attempt > 1 ? `${status}, attempt ${attempt}` : status
}

function endOf(reason: EndReason): string {
  switch (reason.kind) {
    case 'hangup':
      return reason.by === 'remote' ? 'hung up' : 'hung up by this server'
    case 'unused':
      return 'no listeners'
    case 'parent-closed':
      return 'closed by this server'
    case 'replaced':
      return 'replaced by a new connection'
    default:
      return describeEnd(reason)
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
