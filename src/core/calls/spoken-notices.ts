import { type Clock, systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type LanguageId, sameLanguage } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { Announcer } from '../model/announcer.ts'
import {
  KEY_SEQUENCES,
  type KeyAction,
  type KeyCommand,
  type KeyTable,
  keyTable,
  NO_KEYS,
  press,
} from '../model/key-commands.ts'
import type { Recorder } from '../model/recording.ts'
import type { Participant } from '../room/participant.ts'
import type { Relay } from '../room/relay.ts'
import { NoticeVoice } from './notice-voice.ts'
import { OutageNotice } from './outage-notice.ts'
import type { KeypadSettings } from './settings.ts'

/** Maximum time between two keys of a sequence (ms). */
const KEY_TIMEOUT_MS = 3_000

/** Remaining times of a call that are announced to the participant (minutes). */
const MINUTES_LEFT = [5, 2]

/** Options of the spoken notices. The caller keeps ownership of all objects. */
export interface SpokenNoticesOptions {
  /** The relay whose participants are attended to. */
  readonly relay: Relay
  readonly announcer: Announcer
  readonly settings: KeypadSettings
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
  readonly voice: NoticeVoice
  readonly outage: OutageNotice
  readonly timers: readonly Disposable[]
  keys: typeof NO_KEYS
}

/**
 * Attends to every participant: handles their key commands and plays notices in their language, for example when
 * interpreting is paused, the service is unavailable or their time is nearly up. It uses only the public methods of
 * participants; calls also work without it. The creator starts it and disposes of it.
 */
export class SpokenNotices implements Disposable {
  readonly #options: SpokenNoticesOptions
  readonly #clock: Clock
  readonly #log: Logger
  readonly #table: KeyTable
  readonly #attended = new Map<string, Attended>()
  #subscriptions: readonly Disposable[] = []

  constructor(options: SpokenNoticesOptions) {
    const { relay, clock = systemClock, log = relay.log } = options
    this.#options = options
    this.#clock = clock
    this.#log = log
    this.#table = keyTable(options.settings.keys)
  }

  /** Attends to every participant from now on. Call it once. */
  start(): void {
    const { observer } = this.#options.relay
    this.#subscriptions = [
      observer.on('dtmf', ({ participant, digit }) => this.#pressed(participant, digit)),
      observer.on('reception', event => this.#of(event.listener)?.outage.take(event)),
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
    const voice = new NoticeVoice(announcer, party, language)
    const attended: Attended = {
      party,
      voice,
      outage: new OutageNotice(voice, this.#clock),
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

  #timersOf({ since, invitation }: Participant, voice: NoticeVoice): Disposable[] {
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
    const useless = new Set<KeyAction>()
    if (settings.languages.length < 2) useless.add('language')
    if (!recorder?.of(room)) useless.add('recording')
    const useful = settings.keys.filter(action => !useless.has(action))
    return Object.fromEntries(useful.map(action => [action, KEY_SEQUENCES[action]]))
  }
}
