import { BoundedMap } from '../../common/bounded-map.ts'
import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import type { RelayEvents, SessionEvent } from '../../core/model/events.ts'
import type { ParticipantKey, ParticipantState } from '../../core/model/participant-state.ts'
import type { RecordingFault } from '../../core/model/recording.ts'
import { languageName } from '../../pages/page/languages.ts'
import { type HealthOptions, healthOf } from './health.ts'
import { LatencyRecord } from './latency-record.ts'
import { type BookOptions, LegFiguresRegistry } from './leg-figures.ts'
import { channelName, EVENTS_KEPT } from './page/figures.ts'
import type { EventKind, EventLine, HealthFigures, SimulatedCallView } from './protocol.ts'
import { Recent } from './recent.ts'

/** An event line without its number and time. */
export type EventWords = Omit<EventLine, 'id' | 'at'>

type Told = Exclude<keyof RelayEvents, 'level' | 'lag' | 'caption'>

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
    return status === 'waiting' || reason?.kind === 'failed' ? bad(told) : told
  },
  service: ({ upstream, status }) => {
    const name = upstream === 0 ? 'the service' : `fallback service ${upstream}`
    return status === 'open'
      ? bad(line('service', null, null, `${name} does not respond`))
      : line('service', null, null, `${name} responds again`)
  },
  outage: ({ room, speaker, participant, to, active, durationMs }) => {
    const language = languageName(to)
    if (!active) return line('service', room, participant, `translated again after ${seconds(durationMs)}`)
    const words =
      speaker === participant
        ? `is not translated into ${language}`
        : `lacks a translation into ${language}, hears original`
    return bad(line('service', room, participant, words))
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

/** Maximum number of events per second; the newest are kept. */
const EVENTS_A_SECOND = 40

/** The state and its changes as JSON, shared by all viewers. */
export interface WatchedFeed extends Disposable {
  /** The complete state as of the last `delta`. */
  readonly snapshot: string
  levels(): string | undefined
  delta(): string
}

export interface ActivityFeedOptions extends BookOptions, Omit<HealthOptions, 'relay' | 'nameOf'> {
  /** Recording state of a room. */
  readonly recording: (room: string) => string | null
  readonly calls: () => readonly SimulatedCallView[]
}

/** Maximum number of participants whose names are remembered after they left. */
const NAMES_KEPT = 1_000

/**
 * What happens in a relay, for the dashboard. Events and latencies are recorded from the start of the process, so that a page
 * opened during a call shows its past; everything else is computed only while there are viewers. The creator starts it,
 * and disposes of it.
 */
export class ActivityFeed implements Disposable {
  readonly #options: ActivityFeedOptions
  readonly #latency = new LatencyRecord()
  readonly #events = new Recent<EventLine>(EVENTS_KEPT, EVENTS_A_SECOND)
  readonly #names = new BoundedMap<string, string>(NAMES_KEPT)
  #book: LegFiguresRegistry
  #subscriptions: readonly Disposable[] = []
  #levels: Disposable | undefined
  #health: HealthFigures | undefined
  #calls = ''
  #snapshot: string | undefined
  #lines = 0

  constructor(options: ActivityFeedOptions) {
    this.#options = options
    this.#book = new LegFiguresRegistry(options, options.recording)
  }

  /** Records from now on. Call it once. */
  start(): void {
    const { relay, wall } = this.#options
    const { observer } = relay
    const know = ({ participant }: { participant: string }) =>
      void this.#names.set(participant, this.#book.nameOf(participant))
    this.#subscriptions = [
      observer.on('admitted', know),
      observer.on('changed', know),
      observer.on('utterance', event => {
        if (event.stage !== 'begun') return
        const [speaker, listener] = [this.#nameOf(event.speaker), this.#nameOf(event.listener)]
        this.#latency.begun({ ...event, speaker, listener }, wall())
      }),
      ...(Object.keys(EVENT_WORDS) as (keyof typeof EVENT_WORDS)[]).map(name => this.#reads(name)),
    ]
  }

  /**
   * The first viewer has come: measures from now on. The viewers' side calls `levels` and `delta` on time, and disposes of
   * the result when there are no more viewers.
   */
  watch(): WatchedFeed {
    const { relay, pulse, recording } = this.#options
    this.#book = new LegFiguresRegistry(this.#options, recording)
    this.#levels = relay.observer.on('level', ({ participant, level }) =>
      this.#book.heard(participant, level),
    )
    this.#latency.forgetQuantiles()
    this.#calls = ''
    pulse.start()
    this.delta()
    const feed = this
    return {
      get snapshot() {
        return feed.snapshot
      },
      levels: () => this.levels(),
      delta: () => this.delta(),
      [Symbol.dispose]: () => this.#rest(),
    }
  }

  /** The complete state as of the last `delta`, computed once for all viewers. */
  get snapshot(): string {
    this.#snapshot ??= this.#makeSnapshot()
    return this.#snapshot
  }

  /** Returns changed levels, or undefined without changes. */
  levels(): string | undefined {
    const levels = this.#book.levels()
    return levels.length === 0 ? undefined : `[${levels.join()}]`
  }

  /** Returns the changes since the last call; called once a second. */
  delta(): string {
    const { wall } = this.#options
    const at = wall()
    this.#latency.second(at)
    this.#health = healthOf({ ...this.#options, nameOf: id => this.#nameOf(id) })
    const { rooms, legs, goneRooms, goneLegs, lag } = this.#book.look()
    const { items, missed } = this.#events.take()
    const calls = JSON.stringify(this.#options.calls())
    const told = calls === this.#calls ? '' : `,"calls":${calls}`
    this.#calls = calls
    this.#snapshot = undefined
    return (
      `{"at":${at},"rooms":[${rooms.join()}],"legs":[${legs.join()}],"goneRooms":${JSON.stringify(goneRooms)},` +
      `"goneLegs":[${goneLegs.join()}],"lag":[${lag.join()}],"events":${JSON.stringify(items)},"missed":${missed},` +
      `"utterances":${JSON.stringify(this.#latency.utterances.take().items)},` +
      `"quantiles":${JSON.stringify(this.#latency.quantiles.take().items)},"health":${JSON.stringify(this.#health)}${told}}`
    )
  }

  /** Unsubscribes. */
  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    this.#rest()
  }

  #rest(): void {
    this.#levels?.[Symbol.dispose]()
    this.#levels = undefined
    this.#options.pulse.stop()
  }

  #nameOf(id: string): string {
    return this.#options.relay.find(id)
      ? this.#book.nameOf(id)
      : (this.#names.get(id) ?? this.#book.nameOf(id))
  }

  #makeSnapshot(): string {
    const { rooms, legs } = this.#book.whole
    const { utterances, quantiles } = this.#latency
    return (
      `{"at":${this.#options.wall()},"rooms":[${rooms.join()}],"legs":[${legs.join()}],` +
      `"events":${JSON.stringify(this.#events.all)},"utterances":${JSON.stringify(utterances.all)},` +
      `"quantiles":${JSON.stringify(quantiles.all)},"health":${JSON.stringify(this.#health)},"calls":${this.#calls}}`
    )
  }

  #reads<K extends keyof typeof EVENT_WORDS>(name: K): Disposable {
    const { relay, wall } = this.#options
    return relay.observer.on(name, (event: RelayEvents[K]) => {
      const words = EVENT_WORDS[name](event)
      if (!words) return
      const who = words.who === null ? null : this.#nameOf(words.who)
      this.#events.add({ id: ++this.#lines, at: wall(), ...words, who })
    })
  }
}
