import { type Clock, setTimer, Ticker } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import { errorFields, type Logger } from '../../../common/log.ts'
import type { Caption } from '../../../core/model/caption.ts'
import type { ReceptionEvent } from '../../../core/model/events.ts'
import type { Admission } from '../../../core/model/invitation.ts'
import type { Relay } from '../../../core/room/relay.ts'
import { CaptionForwarder } from '../session.ts'
import { AudienceLeg, type AudienceOutput } from './audience-leg.ts'
import type { ToListener } from './protocol.ts'

/** An audience without listeners is kept this long: they can be reconnecting (ms). */
const KEEP_MS = 10_000
/** Interval at which messages and marks that wait are looked at (ms). */
const WATCH_MS = 100

/** One person who listens. */
export interface AudienceMember {
  /** False: they only read. */
  readonly hears: boolean
  /** Sends a message as text. */
  tell(text: string): void
  /** Sends a message of audio, or skips it for a connection that is too slow. The bytes are shared by many. */
  play(packet: Buffer): void
}

export interface AudiencesOptions {
  readonly relay: Pick<Relay, 'observer' | 'rooms' | 'find'>
  /** Admits the legs: the relay, or the rules of rooms. */
  readonly admission: Admission
  /** Start of the ids of its legs. */
  readonly name: string
  /** Maximum number of languages at a time, and of listeners, per room. */
  readonly maxLanguages: number
  readonly maxListeners: number
  readonly clock: Clock
  readonly log: Logger
}

/** Everyone who listens to one room in one language, and the leg that they share while the room is open. */
class LanguageAudience implements AudienceOutput {
  readonly language: LanguageId
  readonly members = new Set<AudienceMember>()
  leg: AudienceLeg | undefined
  /** Set while nobody listens. */
  closing: Disposable | undefined
  readonly #captions = new CaptionForwarder()
  /** Speakers without a translation, with their names. */
  readonly #untranslated = new Map<string, string | null>()

  constructor(language: LanguageId) {
    this.language = language
  }

  get listeners(): number {
    return this.members.size
  }

  get isHeard(): boolean {
    for (const { hears } of this.members) if (hears) return true
    return false
  }

  send(packet: Buffer): void {
    for (const member of this.members) if (member.hears) member.play(packet)
  }

  flush(): void {
    this.tell({ kind: 'flush' })
  }

  /** Sends one text to all. */
  tell(message: ToListener): void {
    const text = JSON.stringify(message)
    for (const member of this.members) member.tell(text)
  }

  read(caption: Caption, room: ReturnType<Relay['rooms']['get']>): void {
    const { language } = this
    const read = this.#captions.of(caption, { id: undefined, hears: language }, room?.everyone.values() ?? [])
    if (!read) return
    const { utterance, name, final, from, translation, text } = read
    const shown = translation ?? text ?? ''
    if (shown !== '')
      this.tell({
        kind: 'caption',
        ...{ utterance, name, final, text: shown },
        language: translation === undefined ? from : language,
      })
  }

  /** Applies what the leg gets from a speaker. */
  receive({ speaker, name, missed }: ReceptionEvent): void {
    if (missed === this.#untranslated.has(speaker)) return
    if (missed) this.#untranslated.set(speaker, name ?? null)
    else this.#untranslated.delete(speaker)
    this.tell(this.outage)
  }

  get outage(): ToListener {
    return { kind: 'outage', speakers: [...this.#untranslated.values()] }
  }

  get hearing(): ToListener {
    return { kind: 'hearing', language: this.language, live: this.leg !== undefined }
  }

  /** The room has closed. */
  left(): void {
    this.leg = undefined
    this.#untranslated.clear()
    this.tell(this.hearing)
  }
}

interface RoomAudiences {
  readonly members: Map<AudienceMember, LanguageAudience | undefined>
  readonly languages: Map<LanguageId, LanguageAudience>
}

/**
 * The audiences of rooms: people with a link for listening, who hear and read one language each. All who listen to a room in
 * the same language share one leg, and so one session per speaker and one encoded stream. They can wait for the room to open.
 */
export class Audiences implements Disposable {
  readonly #options: AudiencesOptions
  readonly #rooms = new Map<string, RoomAudiences>()
  #subscriptions: readonly Disposable[] = []
  #ticker: Ticker | undefined
  #ids = 0

  constructor(options: AudiencesOptions) {
    this.#options = options
  }

  /** Observes rooms from now on. Call it once. */
  start(): void {
    const { observer } = this.#options.relay
    this.#subscriptions = [
      // After the current event: only then is the first participant in the room.
      observer.on('admitted', ({ room }) => this.#rooms.has(room) && queueMicrotask(() => this.open(room))),
      observer.on('caption', caption => {
        const room = this.#options.relay.rooms.get(caption.room)
        for (const audience of this.#of(caption.room)) audience.read(caption, room)
      }),
      observer.on('reception', event => {
        for (const audience of this.#of(event.room))
          if (audience.leg?.id === event.listener) audience.receive(event)
      }),
    ]
  }

  /** Number of people who listen, also while they wait. */
  get size(): number {
    let size = 0
    for (const { members } of this.#rooms.values()) size += members.size
    return size
  }

  /** Adds `member` to `room`, without a language yet. Returns false if the room has too many listeners. */
  enter(room: string, member: AudienceMember): boolean {
    const there = this.#rooms.get(room) ?? { members: new Map(), languages: new Map() }
    if (there.members.size >= this.#options.maxListeners) return false
    there.members.set(member, undefined)
    this.#rooms.set(room, there)
    return true
  }

  /**
   * Lets `member`, who has entered `room`, hear and read `language` from now on. Returns false if the room has too many
   * languages.
   */
  hear(room: string, member: AudienceMember, language: LanguageId): boolean {
    const there = this.#rooms.get(room)
    const before = there?.members.get(member)
    if (!there?.members.has(member) || before?.language === language) return true
    const audience = this.#audience(room, there, language, before)
    if (!audience) return false
    this.#leave(room, member)
    audience.closing?.[Symbol.dispose]()
    audience.closing = undefined
    audience.members.add(member)
    there.members.set(member, audience)
    this.open(room)
    this.#count(room, audience)
    member.tell(JSON.stringify(audience.hearing))
    member.tell(JSON.stringify(audience.outage))
    return true
  }

  /** The languages in which somebody listens to `room`. */
  languages(room: string): LanguageId[] {
    return this.#of(room).flatMap(({ language, members }) => (members.size > 0 ? [language] : []))
  }

  /** Removes `member` from `room`. Idempotent. */
  leave(room: string, member: AudienceMember): void {
    this.#leave(room, member)
    const there = this.#rooms.get(room)
    there?.members.delete(member)
    this.#forget(room)
  }

  /** Admits the audiences of `room` that are not in it yet, if it is open. Idempotent. */
  open(room: string): void {
    const { admission, relay, name, clock, log } = this.#options
    if ((relay.rooms.get(room)?.participants.size ?? 0) === 0) return
    for (const audience of this.#of(room)) {
      if (audience.leg || audience.members.size === 0) continue
      const leg = new AudienceLeg(`${name}-audience-${++this.#ids}`, audience, clock)
      try {
        admission.admit(leg, { room, hears: audience.language })
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error
        log.warn(errorFields(error), 'audience not admitted')
        void leg.close({ kind: 'unused' })
        continue
      }
      audience.leg = leg
      audience.tell(audience.hearing)
      void leg.ended.then(() => audience.leg === leg && audience.left())
      this.#ticker ??= new Ticker(clock, WATCH_MS, now => this.#watch(now))
      this.#count(room, audience)
    }
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    this.#ticker?.[Symbol.dispose]()
    for (const { languages } of this.#rooms.values())
      for (const { leg, closing } of languages.values()) {
        closing?.[Symbol.dispose]()
        void leg?.close({ kind: 'parent-closed' })
      }
    this.#rooms.clear()
  }

  #of(room: string): LanguageAudience[] {
    return [...(this.#rooms.get(room)?.languages.values() ?? [])]
  }

  /** The audience of `language`, new if necessary; undefined if the room has too many. `leaving`: one of its last members. */
  #audience(
    room: string,
    { languages }: RoomAudiences,
    language: LanguageId,
    leaving: LanguageAudience | undefined,
  ): LanguageAudience | undefined {
    const known = languages.get(language)
    if (known) return known
    if (languages.size >= this.#options.maxLanguages) {
      const unused = [...languages.values()].find(
        ({ members }) => members.size === 0 || (members.size === 1 && leaving?.members === members),
      )
      if (!unused) return undefined
      this.#close(room, unused)
    }
    const audience = new LanguageAudience(language)
    languages.set(language, audience)
    return audience
  }

  #leave(room: string, member: AudienceMember): void {
    const there = this.#rooms.get(room)
    const audience = there?.members.get(member)
    if (!there || !audience) return
    there.members.set(member, undefined)
    audience.members.delete(member)
    this.#count(room, audience)
    if (audience.members.size > 0 || there.languages.get(audience.language) !== audience) return
    audience.closing = setTimer(this.#options.clock, KEEP_MS, () => {
      this.#close(room, audience)
      this.#forget(room)
    })
  }

  #close(room: string, audience: LanguageAudience): void {
    audience.closing?.[Symbol.dispose]()
    this.#rooms.get(room)?.languages.delete(audience.language)
    const { leg } = audience
    audience.leg = undefined
    void leg?.close({ kind: 'unused' })
  }

  #forget(room: string): void {
    const there = this.#rooms.get(room)
    if (there?.members.size === 0 && there.languages.size === 0) this.#rooms.delete(room)
  }

  #count(room: string, { language, listeners, leg }: LanguageAudience): void {
    if (leg) this.#options.relay.observer.emit('audience', { room, language, listeners })
  }

  #watch(now: number): void {
    let open = false
    for (const { languages } of this.#rooms.values())
      for (const { leg } of languages.values()) {
        leg?.watch(now)
        open ||= leg !== undefined
      }
    if (open) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }
}
