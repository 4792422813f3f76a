import { type Clock, setTimer, systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { Announcer } from '../model/announcer.ts'
import type { OutageEvent } from '../model/events.ts'
import { type KeyCommand, type KeyTable, keyTable, NO_KEYS, press } from '../model/key-commands.ts'
import type { Recorder } from '../model/recording.ts'
import type { Participant } from '../room/participant.ts'
import type { Relay } from '../room/relay.ts'
import { type AttendantSettings, keyMapOf } from './settings.ts'
import { AttendantVoice } from './spoken-notices.ts'

/** Duration of an outage before listeners are notified (ms); most are shorter. */
const NOTICE_AFTER_MS = 1_000
/** Minimum time between two such notices to the same listener (ms). */
const NOTICE_EVERY_MS = 30_000
/** Minimum duration of an outage for a notice when translation recovers (ms); a shorter one is hardly noticed. */
const RECOVERY_NOTICE_AFTER_MS = 5_000
/** Maximum time between two keys of a sequence (ms). */
const KEY_TIMEOUT_MS = 3_000

/**
 * Notifies one listener of speakers whom they hear untranslated: once while any are, at a limited rate, and when a long
 * outage has ended.
 */
class AttendantOutage implements Disposable {
  readonly #voice: AttendantVoice
  readonly #clock: Clock
  readonly #reachable: () => boolean
  /** The outages of this listener, by speaker and language, in the order in which they started. */
  readonly #outages = new Map<string, OutageEvent>()
  #since = 0
  #waiting: Disposable | undefined
  #told = false
  #toldAt = Number.NEGATIVE_INFINITY

  /** `reachable`: the service responds, so the outage concerns single speakers. */
  constructor(voice: AttendantVoice, clock: Clock, reachable: () => boolean) {
    this.#voice = voice
    this.#clock = clock
    this.#reachable = reachable
  }

  /** The notice is delayed, so short outages have none. */
  take(event: OutageEvent): void {
    const key = `${event.speaker} ${event.to}`
    if (event.active) {
      if (this.#outages.size === 0) this.#since = this.#clock.now()
      this.#outages.set(key, event)
      this.#waiting ??= setTimer(this.#clock, NOTICE_AFTER_MS, () => this.#tell())
      return
    }
    this.#outages.delete(key)
    if (this.#outages.size === 0) this.#ended(this.#clock.now() - this.#since)
  }

  [Symbol.dispose](): void {
    this.#waiting?.[Symbol.dispose]()
    this.#waiting = undefined
  }

  #ended(durationMs: number): void {
    this[Symbol.dispose]()
    if (!this.#told) return
    this.#told = false
    if (durationMs >= RECOVERY_NOTICE_AFTER_MS) void this.#voice.say('service-back')
    else this.#voice.hush()
  }

  #tell(): void {
    const now = this.#clock.now()
    const [outage] = this.#outages.values()
    if (!outage || now - this.#toldAt < NOTICE_EVERY_MS) return
    this.#told = true
    this.#toldAt = now
    const { speaker, participant, name } = outage
    if (speaker === participant) void this.#voice.say('self-untranslated')
    // Without a service, the sentence with the name cannot be spoken, and everybody is affected.
    else if (name !== undefined && this.#reachable()) void this.#voice.say('speaker-untranslated', { name })
    else void this.#voice.say('service-unavailable')
  }
}

/** Remaining times of a call that are announced to the participant (minutes). */
const MINUTES_LEFT = [5, 2]

/** Options of the attendant. The caller keeps ownership of all objects. */
export interface AttendantOptions {
  /** The relay whose participants are attended to. */
  readonly relay: Relay
  readonly announcer: Announcer
  readonly settings: AttendantSettings
  /** Omit it without recording. */
  readonly recorder?: Recorder | undefined
  readonly clock?: Clock
  /** Default: the log of the relay. */
  readonly log?: Logger
  /** Language of notices for participants without a language. Default `en-us`. */
  readonly language?: LanguageId | undefined
  /** Time limit of a call, which is enforced elsewhere and only announced here. Default: none. */
  readonly maxMinutes?: number | undefined
}

/** State of one participant. */
interface Attended {
  readonly party: Participant
  readonly voice: AttendantVoice
  readonly outage: AttendantOutage
  readonly timers: readonly Disposable[]
  keys: typeof NO_KEYS
}

/**
 * Attends to every participant: handles their key commands and plays notices in their language, for example when
 * interpreting is paused, the service is unavailable or their time is nearly up. It uses only the public methods of
 * participants; calls also work without it. The creator starts it and disposes of it.
 */
export class Attendant implements Disposable {
  readonly #options: AttendantOptions
  readonly #clock: Clock
  readonly #log: Logger
  readonly #table: KeyTable
  readonly #attended = new Map<string, Attended>()
  #subscriptions: readonly Disposable[] = []

  constructor(options: AttendantOptions) {
    const { relay, clock = systemClock, log = relay.log } = options
    this.#options = options
    this.#clock = clock
    this.#log = log
    this.#table = keyTable(keyMapOf(options.settings.keys))
  }

  /** Attends to every participant from now on. Call it once. */
  start(): void {
    const { observer } = this.#options.relay
    this.#subscriptions = [
      observer.on('dtmf', ({ participant, digit }) => this.#pressed(participant, digit)),
      observer.on('outage', event => this.#of(event.participant)?.outage.take(event)),
      observer.on('admitted', ({ participant }) => void this.#of(participant)),
      observer.on('left', ({ participant }) => this.#forget(participant)),
    ]
  }

  /** Stops attending to all participants. */
  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const id of [...this.#attended.keys()]) this.#forget(id)
  }

  #of(id: string): Attended | undefined {
    const known = this.#attended.get(id)
    if (known) return known
    const { relay, announcer, language = 'en-us' } = this.#options
    const party = relay.find(id)
    if (!party) return undefined
    const voice = new AttendantVoice(announcer, party, language)
    const attended: Attended = {
      party,
      voice,
      outage: new AttendantOutage(voice, this.#clock, () => !relay.serviceUnavailable),
      timers: this.#timersOf(party, voice),
      keys: NO_KEYS,
    }
    this.#attended.set(id, attended)
    return attended
  }

  #forget(id: string): void {
    const attended = this.#attended.get(id)
    if (!attended) return
    this.#attended.delete(id)
    attended.outage[Symbol.dispose]()
    for (const timer of attended.timers) timer[Symbol.dispose]()
  }

  #timersOf({ since, invitation }: Participant, voice: AttendantVoice): Disposable[] {
    const { maxMinutes = 0 } = this.#options
    const endsAt = since + maxMinutes * 60_000 - (invitation.elapsedMs ?? 0)
    // Of a call that continues, some were announced before.
    return MINUTES_LEFT.filter(left => left < maxMinutes && endsAt - left * 60_000 > since).map(left =>
      this.#clock.at(endsAt - left * 60_000, () => void voice.say('minutes-left', { minutes: String(left) })),
    )
  }

  #pressed(id: string, key: string): void {
    const attended = this.#of(id)
    if (!attended) return
    const { state, command } = press(this.#table, attended.keys, key, this.#clock.now(), KEY_TIMEOUT_MS)
    attended.keys = state
    if (!command) return
    const room = attended.party.invitation.room
    this.#log.info({ participant: id, action: command.action }, 'key command')
    this.#options.relay.observer.emit('command', { room, participant: id, action: command.action })
    this.#do(attended, command)
  }

  #do(attended: Attended, command: KeyCommand): void {
    const { party, voice } = attended
    switch (command.action) {
      case 'pause':
        this.#pause(party)
        break
      case 'repeat':
        voice.hush()
        if (!party.repeat()) void voice.say('nothing-to-repeat')
        break
      case 'mute':
        void voice.say(party.change({ muted: !party.state.muted }).muted ? 'muted' : 'unmuted')
        break
      case 'recording':
        this.#record(party)
        break
      case 'language':
        this.#choose(attended, command.choice)
        break
      case 'options':
        void voice.say('options', this.#keysOf(party))
        break
      default:
        command satisfies never
    }
  }

  /** In a room of two, the other participant is notified too, because they hear the difference. */
  #pause(party: Participant): void {
    const { interpreting } = party.change({ interpreting: !party.state.interpreting })
    const notice = interpreting ? 'interpreting-resumed' : 'interpreting-paused'
    const others = [...(this.#options.relay.rooms.get(party.invitation.room)?.participants.values() ?? [])]
    for (const each of others.length === 2 ? others : [party]) void this.#of(each.id)?.voice.say(notice)
  }

  /** The recorder itself notifies all participants of the room. */
  #record({ invitation: { room } }: Participant): void {
    const { recorder } = this.#options
    try {
      const state = recorder?.of(room)?.state
      if (state === 'recording' || state === 'notice') recorder?.pause(room)
      else if (state === 'paused') recorder?.resume(room)
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      this.#log.warn({ room, code: error.code, error: error.message }, 'recording not changed')
    }
  }

  /** Changes the language that the participant hears, and also the one that they speak if it is the same. */
  #choose({ party, voice }: Attended, choice: number): void {
    const language = this.#options.settings.languages[choice - 1]
    if (language === undefined) return
    const { speaks, hears } = party.state
    const both = speaks !== undefined && (hears === undefined || sameLanguage(speaks, hears))
    party.change({ ...(both ? { speaks: language } : {}), hears: language })
    void voice.say('language-changed')
  }

  /** Returns the keys that currently have an effect for `party`. */
  #keysOf({ invitation: { room } }: Participant): Record<string, string> {
    const { settings, recorder } = this.#options
    const keys: Record<string, string> = { ...keyMapOf(settings.keys) }
    if (settings.languages.length < 2) delete keys.language
    if (!recorder?.of(room)) delete keys.recording
    return keys
  }
}
