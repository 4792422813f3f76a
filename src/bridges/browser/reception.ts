import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Clock, inTime, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { errorFields, type Logger, withoutNumbers } from '../../common/log.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import { CodeAttempts } from '../../core/calls/code-attempts.ts'
import { LONGEST_ROOM_LINK_MS, type RoomLinks } from '../../core/calls/room-links.ts'
import type { RoomVisits } from '../../core/calls/room-visits.ts'
import type { Invitation } from '../../core/model/invitation.ts'
import { checkedInvitation } from '../../core/model/invitation-check.ts'
import { isPacketLength } from './audio-packet.ts'
import { BrowserLeg, tell } from './browser-leg.ts'
import { type OfferCache, offeredVoices, offers } from './catalog-cache.ts'
import type { PageSocket } from './close-codes.ts'
import { distinctName } from './distinct-name.ts'
import type { BridgeCounters } from './leg-counters.ts'
import type { BrowserLimits } from './limits.ts'
import type { Origin } from './lobby.ts'
import type { BrowserBridgeOptions, Guest } from './options.ts'
import {
  type Hello,
  type JoinRefusal,
  type LanguageChange,
  type PageMessage,
  parse,
  REFUSALS,
} from './protocol.ts'
import { RoomInvitations } from './room-invitations.ts'
import { newRoomName } from './room-name.ts'
import type { ServiceCatalog } from './service-catalog.ts'
import type { BrowserSession } from './session.ts'
import type { BrowserSessions, EarlierSession } from './sessions.ts'
import type { BrowserSettings } from './settings.ts'

/** Time for a decision on a visitor (ms). */
const INVITE_MS = 10_000
const refusalSchema = z.strictObject({ refused: z.enum(REFUSALS) })
/** Share of the places reserved for invited visitors. */
const KEPT_SHARE = 0.2

export interface ReceptionOptions {
  readonly bridge: BrowserBridgeOptions
  /** Start of the ids of its legs. */
  readonly name: string
  readonly settings: BrowserSettings
  readonly limits: BrowserLimits
  readonly offer: OfferCache
  readonly links: RoomLinks
  readonly visits: RoomVisits
  readonly listenLinks: RoomLinks
  readonly sessions: BrowserSessions
  /** The paths of the page, and of that for listening. */
  readonly page: string
  readonly listenPage: string
  readonly counters: BridgeCounters
  readonly clock: Clock
  readonly log: Logger
}

/** Origin of a connection. */
export interface Caller extends Origin {
  /** On this machine, not through a proxy. */
  readonly local: boolean
  /** Called on admission. */
  readonly known: () => void
}

/** Admits connections: creates their sessions, and their legs for the relay. */
export class VisitorReception {
  readonly #options: ReceptionOptions
  readonly #invites: RoomInvitations
  readonly #attempts: CodeAttempts
  /** Id of this run of the server. */
  readonly #run = randomBytes(6).toString('base64url')
  #ids = 0

  constructor(given: ReceptionOptions) {
    this.#options = given
    const { bridge, links, listenLinks, page, listenPage, clock, settings } = given
    const ttlMs = Math.round(settings.linkMinutes * 60_000)
    this.#attempts = new CodeAttempts(async code => bridge.roomCodes?.find(code), bridge.roomCodeLimiter)
    this.#invites = new RoomInvitations({
      ...{ links, listenLinks, page, listenPage, clock, ttlMs },
      roomCodes: bridge.roomCodes,
    })
  }

  /** Participants of visits from before keep their ids: new ones follow them. Call it before the first visitor. */
  async start(): Promise<void> {
    const { bridge, visits, name } = this.#options
    if (bridge.homes) return
    for (const { participant } of await visits.all()) {
      const id = participant.startsWith(`${name}-`) ? Number(participant.slice(name.length + 1)) : 0
      if (Number.isSafeInteger(id)) this.#ids = Math.max(this.#ids, id)
    }
  }

  /** Waits on `socket` for a `hello` or a `resume`. */
  answer(socket: PageSocket, caller: Caller): void {
    const { clock, limits, log } = this.#options
    const timer = setTimer(clock, limits.helloWithinMs, () => socket.fail('no-hello'))
    const disconnected = new AbortController()
    let greeted = false
    socket.attach({
      message: (data, isBinary) => {
        if (isBinary && !isPacketLength(data.length)) return 'audio'
        const message = isBinary ? undefined : parse(data.toString('utf8'))
        if (message?.kind === 'invalid') return message.fault
        if (greeted || (message?.kind !== 'hello' && message?.kind !== 'resume')) {
          socket.counters.ignored++
          return undefined
        }
        greeted = true
        timer[Symbol.dispose]()
        const admitted =
          message.kind === 'resume'
            ? this.#resume(socket, caller, message, disconnected.signal)
            : this.#receive(socket, caller, message, disconnected.signal)
        admitted.catch((error: unknown) => {
          log.error(errorFields(error), 'visitor cannot be admitted')
          if (!disconnected.signal.aborted) this.#refuse(socket, 'busy')
        })
        return undefined
      },
      closed: () => {
        timer[Symbol.dispose]()
        disconnected.abort()
      },
      fault: (fault, err) =>
        log.warn({ fault, ...(err ? { error: String(err) } : {}) }, 'invalid data received before admission'),
    })
  }

  async #receive(socket: PageSocket, caller: Caller, hello: Hello, disconnected: AbortSignal): Promise<void> {
    const { offer, log } = this.#options
    let known: ServiceCatalog | undefined
    try {
      known = await offer.get()
    } catch (error) {
      log.warn(errorFields(error), 'service languages unavailable, visitor admitted unchecked')
    }
    if (disconnected.aborted) return
    const guest = await this.#guest(caller, hello)
    if (disconnected.aborted) return
    if (typeof guest === 'string') this.#refuse(socket, guest)
    // Others can have been admitted meanwhile.
    else if (this.#isFull(caller, guest.invited)) this.#refuse(socket, 'full')
    else if (!offers(known, hello.speaks, hello.hears, hello.alone)) this.#refuse(socket, 'language')
    else if (!this.#options.bridge.homes) await this.#admit(socket, caller, hello, guest, disconnected)
    else await this.#enter(socket, caller, hello, guest, disconnected)
  }

  /** Admits the visitor where the room is: here, or the page follows it to another node of the fleet. */
  async #enter(
    socket: PageSocket,
    caller: Caller,
    hello: Hello,
    guest: Guest,
    disconnected: AbortSignal,
  ): Promise<void> {
    const { bridge, links, settings, log } = this.#options
    let rejoin: string | undefined
    try {
      const node = await bridge.homes?.locate(guest.room, !guest.invited)
      if (node !== undefined) {
        tell(socket, { kind: 'moved', path: `n/${node}/` })
        void socket.close('refused')
        return
      }
      // If this node ends, the page rejoins the room at another one.
      rejoin =
        hello.link ??
        (await links.issue(guest.room, Math.min(settings.maxMinutes * 60_000, LONGEST_ROOM_LINK_MS)))
    } catch (error) {
      log.warn(errorFields(error), 'room cannot be entered now')
      // A private room works without the fleet.
      if (guest.invited) {
        if (!disconnected.aborted) this.#refuse(socket, 'busy')
        return
      }
    }
    if (!disconnected.aborted) await this.#admit(socket, caller, hello, guest, disconnected, { rejoin })
  }

  /** Resolves to the visitor and their room, or to the reason for rejecting them. */
  async #guest(caller: Caller, hello: Hello): Promise<Guest | JoinRefusal> {
    const { link, code, speaks, hears, name, original } = hello
    const { settings, links, log } = this.#options
    if (this.#isFull(caller, link !== undefined || code !== undefined)) return 'full'
    const about = {
      ...{ hears, original },
      ...(speaks === undefined ? {} : { speaks }),
      ...(name === undefined ? {} : { name }),
    }
    try {
      if (link !== undefined) {
        const room = await links.find(link)
        if (room === undefined) return 'link'
        return { room, invited: true, ...about }
      }
      if (code !== undefined) return await this.#byCode(caller, code, about)
    } catch (error) {
      log.warn(errorFields(error), 'invitation cannot be checked')
      return 'busy'
    }
    const welcome = settings.access === 'anyone' || (settings.access === 'local' && caller.local)
    if (!welcome) return 'uninvited'
    return { room: newRoomName(), invited: false, ...about }
  }

  /**
   * Local visitors can take any place. Others are limited per address, and without an invitation cannot take reserved
   * places.
   */
  #isFull({ local, group }: Caller, invited: boolean): boolean {
    const { sessions, settings, limits } = this.#options
    const { maxVisitors } = settings
    const { visitorsPerAddress } = limits
    if (sessions.size >= maxVisitors) return true
    if (local) return false
    const open = maxVisitors - Math.floor(maxVisitors * KEPT_SHARE)
    const each = invited ? visitorsPerAddress : Math.min(visitorsPerAddress, Math.ceil(open / 2))
    if (group !== undefined && sessions.of(group, invited) >= each) return true
    return !invited && sessions.uninvited >= open
  }

  async #byCode(
    { address }: Caller,
    code: string,
    about: Omit<Guest, 'room' | 'invited'>,
  ): Promise<Guest | JoinRefusal> {
    const { room, refused } = await this.#attempts.find(address, code)
    if (room !== undefined) return { room, invited: true, ...about }
    return refused ? 'too-many-codes' : 'code'
  }

  async #admit(
    socket: PageSocket,
    caller: Caller,
    hello: Hello,
    guest: Guest,
    disconnected: AbortSignal,
    { rejoin, earlier }: { readonly rejoin?: string | undefined; readonly earlier?: EarlierSession } = {},
  ): Promise<void> {
    const { bridge, offer, sessions, counters, log } = this.#options
    const voices = offeredVoices(offer.known, hello.voices)
    const hears = sessions.company(guest.room, 1) ? hello.hears : hello.alone
    const voice = voices[hears]
    const asked = { ...guest, hears, ...(voice === undefined ? {} : { voice }) }
    const decision = await this.#decide(asked)
    if (disconnected.aborted) return
    if ('refused' in decision) {
      this.#refuse(socket, decision.refused)
      return
    }
    const called = decision.name ?? hello.unnamed
    const name = called && distinctName(called, sessions.names(decision.room))
    const invitation = { ...decision, ...(name === undefined ? {} : { name }) }
    // Others can have been admitted meanwhile.
    if (this.#isFull(caller, guest.invited)) {
      this.#refuse(socket, 'full')
      return
    }
    // Another connection can have resumed the visit meanwhile.
    if (earlier && this.#continue(socket, caller, earlier)) return
    const company = sessions.company(invitation.room, 1)
    const session = sessions.begin(
      {
        ...{ room: invitation.room, invited: guest.invited, rejoin },
        group: caller.local ? undefined : caller.group,
        unnamed: decision.name === undefined ? name : undefined,
      },
      { company: hello.hears, alone: hello.alone, voices },
      company,
      earlier,
    )
    const leg = this.#leg(socket, session, caller, earlier?.participant)
    try {
      ;(bridge.admission ?? bridge.relay).admit(leg, invitation)
    } catch (error) {
      sessions.forget(session)
      counters.refuse('full')
      tell(socket, { kind: 'refused', why: 'full' })
      this.#drop(leg, error)
      return
    }
    caller.known()
    log.info(
      { legId: leg.id, invited: guest.invited, local: caller.local, returned: earlier !== undefined },
      'visitor admitted',
    )
    if (!earlier) sessions.keep(session)
    const own = company ? hello.hears : hello.alone
    if (hello.muted || own !== hears) session.choose({}, { muted: hello.muted }, company)
    this.#welcome(session, earlier !== undefined)
  }

  /** Resolves to the decision of the program; without a valid one, the log has the reason, and the visitor is refused. */
  async #decide(guest: Guest): Promise<Invitation | { readonly refused: JoinRefusal }> {
    const { bridge, clock, log } = this.#options
    const invite = bridge.invite ?? (() => guest)
    try {
      const decision = withoutInvited(await inTime(clock, INVITE_MS, 'invite', invite(guest)))
      const refusal = refusalSchema.safeParse(decision)
      return refusal.success ? refusal.data : checkedInvitation(decision, 'the invitation of invite')
    } catch (error) {
      log.error(withoutNumbers(errorFields(error)), 'invite failed')
      return { refused: 'busy' }
    }
  }

  /** Continues a visit that is here, or that was here before this process, or before the visitor was gone for long. */
  async #resume(
    socket: PageSocket,
    caller: Caller,
    { hello, ...visit }: Extract<PageMessage, { kind: 'resume' }>,
    disconnected: AbortSignal,
  ): Promise<void> {
    if (this.#continue(socket, caller, visit)) return
    const { sessions, bridge } = this.#options
    // In a fleet, a link leads to the node that has the room.
    const earlier = bridge.homes ? undefined : await sessions.kept(visit.call, visit.secret)
    if (disconnected.aborted) return
    if (!earlier || !hello) this.#refuse(socket, 'gone')
    else if (this.#isFull(caller, earlier.invited)) this.#refuse(socket, 'full')
    else {
      const { speaks, hears, name, original } = hello
      const { room, invited } = earlier
      const guest = { room, invited, hears, original, name, speaks }
      await this.#admit(socket, caller, hello, guest, disconnected, { earlier })
    }
  }

  /** Returns false if this process does not have the visit. */
  #continue(
    socket: PageSocket,
    caller: Caller,
    { call, secret }: { readonly call: string; readonly secret: string },
  ): boolean {
    const { bridge, sessions } = this.#options
    const session = sessions.find(call, secret)
    const participant = session?.participant
    if (!session || !participant) return false
    const before = session.leg
    const leg = this.#leg(socket, session, caller)
    void before?.close({ kind: 'replaced' })
    try {
      // Already admitted: the room’s policy is not applied again.
      bridge.relay.admit(leg, participant.invitation)
    } catch (error) {
      this.#drop(leg, error)
      return true
    }
    caller.known()
    this.#welcome(session, true)
    return true
  }

  /** `id`: that of the participant who returns. */
  #leg(socket: PageSocket, session: BrowserSession, { address }: Caller, id?: string): BrowserLeg {
    const { bridge, name, sessions, clock, limits, log } = this.#options
    const rate = new TokenBucket(limits.changesPerMinute / 60, limits.changeBurst, clock.now())
    // Unique in a fleet.
    const node = bridge.homes ? `${bridge.homes.node}-` : ''
    const leg = BrowserLeg.open(socket, {
      id: id !== undefined && !bridge.relay.find(id) ? id : `${name}-${node}${++this.#ids}`,
      call: session.call,
      ...{ clock, limits, log },
      requested: (message, now) => {
        if (rate.take(now) < 0) socket.counters.floodDropped++
        else if (message.kind === 'change') this.#change(session, message)
        else void this.#invite(session, address)
      },
    })
    session.moveTo(leg)
    sessions.own(leg)
    return leg
  }

  #welcome(session: BrowserSession, resumed: boolean): void {
    const { sessions, clock, bridge } = this.#options
    const self = session.view(sessions.company(session.room))
    if (!self) return
    const { call, secret } = session
    const endsInMs = Math.max(0, Math.round(session.endsAt - clock.now()))
    // Captions include earlier speech, which invited visitors must not see.
    const captions = session.invited || endsInMs === 0 ? undefined : bridge.captions?.(session.room, endsInMs)
    session.tell({
      kind: 'welcome',
      ...{ call, secret, resumed, endsInMs, self },
      server: this.#run,
      captions,
      rejoin: session.rejoin,
      parties: sessions.parties(session),
      listeners: sessions.listeners(session.room),
    })
    sessions.tellReceptions(session)
  }

  #change(
    session: BrowserSession,
    { speaks, hears, alone, voices, original, name, muted }: LanguageChange,
  ): void {
    const { sessions, offer } = this.#options
    const chosen = {
      ...(hears === undefined ? {} : { company: hears }),
      ...(alone === undefined ? {} : { alone }),
      ...(voices === undefined ? {} : { voices: offeredVoices(offer.known, voices) }),
    }
    try {
      const called = name === undefined ? undefined : this.#called(session, name)
      session.choose(chosen, { speaks, original, name: called, muted }, sessions.company(session.room))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      session.tell({ kind: 'sorry', what: 'change' })
    }
  }

  /** Returns what others call a visitor who has given their name, or has removed it. */
  #called(session: BrowserSession, name: string | null): string | null {
    session.named = name !== null
    const called = name ?? session.unnamed
    if (called === undefined) return null
    return distinctName(called, this.#options.sessions.names(session.room, session))
  }

  /** Returns the name of the visitor who created the link with `token`, if it is known. */
  inviterOf(token: string): string | undefined {
    return this.#invites.inviterOf(token)
  }

  async #invite(session: BrowserSession, address: string): Promise<void> {
    const { bridge } = this.#options
    try {
      const named = session.named ? session.participant?.state.name : undefined
      const invite = await this.#invites.give(session.room, address, named)
      const { publicUrl, numbers = [], discord } = bridge
      session.tell({
        kind: 'invited',
        ...invite,
        publicUrl,
        discord: discord || undefined,
        numbers,
      })
    } catch (error) {
      if (!(error instanceof BridgeError))
        this.#options.log.error(errorFields(error), 'invitation could not be created')
      session.tell({ kind: 'sorry', what: 'invite' })
    }
  }

  #refuse(socket: PageSocket, why: JoinRefusal): void {
    this.#options.counters.refuse(why)
    this.#options.log.info({ why }, 'visitor rejected')
    tell(socket, { kind: 'refused', why })
    void socket.close('refused')
  }

  /** Ends a leg after an error: a `BridgeError` is a regular response, anything else an internal fault. */
  #drop(leg: BrowserLeg, cause: unknown): void {
    if (!(cause instanceof BridgeError)) leg.fault('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'internal error', { cause })
    void leg.close({ kind: 'failed', error })
  }
}

/** A decision without what only describes the guest, so that a program can return its guest, changed or not. */
function withoutInvited(decision: unknown): unknown {
  if (typeof decision !== 'object' || decision === null) return decision
  const { invited: _, ...rest } = decision as Partial<Guest>
  return rest
}
