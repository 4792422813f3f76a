import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../../src/common/clock.ts'
import type { Json } from '../json.ts'
import type { Guild } from '../model/guild.ts'
import { shardOf } from '../model/snowflake.ts'
import { VoiceChannel } from '../model/voice-channel.ts'
import type { Happening, World } from '../model/world.ts'
import { type ConnectionHost, GatewayConnection } from './connection.ts'
import { disallowed, hasIntent, seenWith, unknownIntents } from './intents.ts'
import { CLOSE, type ClientMessage, endsSession } from './protocol.ts'
import { type GatewayFaults, GatewaySession, readyJson, type SeenGatewaySession } from './session.ts'

/** The response to op 8; undefined for a request of the whole list without the intent, which gets no response. */
function membersChunk(
  guild: Guild,
  { userIds, query, limit, nonce }: ClientMessage & { kind: 'members' },
  intents: number,
): Json | undefined {
  const everybody = [...guild.members.values()]
  if (userIds.length === 0 && (query ?? '') === '' && !hasIntent(intents, 'GuildMembers')) return undefined
  const wanted =
    userIds.length > 0
      ? everybody.filter(({ id }) => userIds.includes(id))
      : everybody.filter(({ displayName }) =>
          displayName.toLowerCase().startsWith((query ?? '').toLowerCase()),
        )
  const members = limit > 0 ? wanted.slice(0, limit) : wanted
  return {
    guild_id: guild.id,
    members: members.map(({ json }) => json),
    chunk_index: 0,
    chunk_count: 1,
    not_found: userIds.filter(id => !guild.members.has(id)),
    nonce,
  }
}

export interface GatewayOptions {
  readonly world: World
  readonly token: string
  readonly heartbeatMs: number
}

/** Time that a session waits for a disconnected bot (ms). Discord publishes no figure. */
const RESUMABLE_MS = 180_000

/** At Discord it is another host. */
const RESUME_PATH = '/resume'

/** Discord: Session Start Limit. */
const IDENTIFIES = 1_000

/** The main gateway, version 10: sends events to bots, and receives their voice state requests. */
export class Gateway implements ConnectionHost, GatewayFaults {
  ignoreHeartbeats = false
  mute = false
  refuseResume = false
  refuseIdentify: number | undefined
  refuseConnections = false
  refuseResumeUrl = false
  identifiesLeft = IDENTIFIES
  readonly #options: GatewayOptions
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #connections = new Set<GatewayConnection>()
  readonly #live = new Map<string, GatewaySession>()
  readonly #seen: GatewaySession[] = []
  readonly #listening: Disposable
  #stopped = false

  constructor(http: Server, options: GatewayOptions) {
    this.#options = options
    http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#listening = options.world.listen(happening => this.#tell(happening))
  }

  get clock(): Clock {
    return this.#options.world.clock
  }

  get heartbeatMs(): number {
    return this.#options.heartbeatMs
  }

  /** Snapshot of every session, oldest first, including ended ones. */
  get sessions(): readonly SeenGatewaySession[] {
    return this.#seen.map(({ seen }) => seen)
  }

  close(code: number, reason = ''): void {
    for (const connection of this.#connections) connection.close(code, reason)
  }

  drop(): void {
    for (const connection of this.#connections) connection.drop()
  }

  reconnect(): void {
    for (const connection of this.#connections) connection.reconnect()
  }

  invalidSession(resumable = false): void {
    for (const connection of this.#connections) {
      const { session } = connection
      connection.invalidSession(resumable)
      if (session && !resumable) this.#end(session)
    }
  }

  identify(connection: GatewayConnection, message: ClientMessage & { kind: 'identify' }): void {
    const refusal = this.refuseIdentify ?? this.#refusal(message)
    if (refusal !== undefined) return void connection.close(refusal)
    this.identifiesLeft--
    const { intents, shard } = message
    const { world } = this.#options
    const sessionId = Buffer.from(`session ${world.ids.next()}`).toString('hex')
    const session = new GatewaySession({ sessionId, intents, shard, line: connection })
    this.#live.set(sessionId, session)
    this.#seen.push(session)
    connection.session = session
    const guilds = Array.from(world.guilds.values()).filter(({ id }) => this.#concerns(session, id))
    session.dispatch(
      'READY',
      readyJson({ world, session, guilds, resumeUrl: world.gateway.url + RESUME_PATH }),
    )
    for (const guild of guilds)
      if (!guild.unavailable)
        this.#show(session, { name: 'GUILD_CREATE', data: guild.json, guildId: guild.id })
  }

  resume(connection: GatewayConnection, { token, sessionId, seq }: ClientMessage & { kind: 'resume' }): void {
    if (token !== this.#options.token)
      return void connection.close(CLOSE.authenticationFailed, 'Authentication failed.')
    const session = this.#live.get(sessionId)
    if (session && this.refuseResume) this.#end(session)
    if (!session || this.refuseResume) return void connection.invalidSession(false)
    if (seq > session.seq) {
      this.#end(session)
      return void connection.close(CLOSE.invalidSequence, 'Invalid seq.')
    }
    if (!session.canResumeFrom(seq)) return void connection.invalidSession(false)
    for (const other of this.#connections) if (other.session === session) other.drop()
    connection.session = session
    session.resume(connection, seq)
  }

  ask(session: GatewaySession, message: ClientMessage & { kind: 'voice' | 'members' }): void {
    const guild = this.#options.world.guilds.get(message.guildId)
    if (!guild || guild.unavailable) return
    if (message.kind === 'members') {
      const chunk = membersChunk(guild, message, session.intents)
      if (chunk) session.dispatch('GUILD_MEMBERS_CHUNK', chunk)
      return
    }
    const { channelId, selfDeaf, selfMute } = message
    const channel = channelId === null ? undefined : guild.channels.get(channelId)
    if (channelId !== null && !(channel instanceof VoiceChannel)) return
    guild.voice.request({
      channel: channel instanceof VoiceChannel ? channel : undefined,
      selfMute,
      selfDeaf,
    })
  }

  closed(connection: GatewayConnection, code: number): void {
    this.#connections.delete(connection)
    const { session } = connection
    if (!session || session.connected || this.#stopped) return
    if (endsSession(code)) return void this.#end(session)
    session.waitForResume(this.clock, RESUMABLE_MS, () => this.#end(session))
  }

  /** Ends all connections. */
  stop(): void {
    this.#listening[Symbol.dispose]()
    this.drop()
    for (const session of this.#seen) session.stop()
    this.#stopped = true
    this.#sockets.close()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    const toResume = request.url?.startsWith(RESUME_PATH)
    if (this.refuseConnections || (this.refuseResumeUrl && toResume))
      return void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
    this.#sockets.handleUpgrade(request, socket, head, socket => this.#open(request, socket))
  }

  #open(request: IncomingMessage, socket: WebSocket): void {
    const query = new URLSearchParams(request.url?.split(/\?(.*)/s)[1])
    if (query.get('v') !== '10' || (query.get('encoding') ?? 'json') !== 'json' || query.has('compress'))
      return void socket.close(CLOSE.invalidVersion, 'Invalid API version.')
    this.#connections.add(new GatewayConnection(socket, this))
  }

  #refusal({ token, intents, shard: [id, count] }: ClientMessage & { kind: 'identify' }): number | undefined {
    if (token !== this.#options.token || this.identifiesLeft <= 0) return CLOSE.authenticationFailed
    if (!(Number.isInteger(id) && Number.isInteger(count) && id >= 0 && id < count)) return CLOSE.invalidShard
    if (!Number.isInteger(intents) || intents < 0 || unknownIntents(intents)) return CLOSE.invalidIntents
    if (disallowed(intents, this.#options.world.enabledIntents).length > 0) return CLOSE.disallowedIntents
    return undefined
  }

  /** Ends the session permanently: a bot without a session is not in a voice channel either (Discord: voice close code 4014). */
  #end(session: GatewaySession): void {
    if (!this.#live.delete(session.sessionId)) return
    const { guilds } = this.#options.world
    const others = [...this.#live.values()]
    for (const guild of guilds.values())
      if (this.#concerns(session, guild.id) && !others.some(other => this.#concerns(other, guild.id)))
        void guild.bot.leave()
  }

  #tell(happening: Happening): void {
    for (const session of this.#live.values())
      if (happening.guildId === undefined || this.#concerns(session, happening.guildId))
        this.#show(session, happening)
  }

  #show(session: GatewaySession, { name, data }: Happening): void {
    const seen = seenWith(session.intents, name, data, this.#options.world.bot.id)
    if (seen) session.dispatch(name, seen)
  }

  #concerns({ shard: [id, count] }: GatewaySession, guildId: string): boolean {
    return shardOf(guildId, count) === id
  }
}
