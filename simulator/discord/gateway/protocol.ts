import { isJson, type Json, numberIn, stringIn } from '../json.ts'

/** Discord: Gateway Opcodes. */
export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

/** Discord: Gateway Close Event Codes. */
export const CLOSE = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  rateLimited: 4008,
  sessionTimedOut: 4009,
  invalidShard: 4010,
  invalidVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const

/** After a close with one of these codes a session cannot be resumed; after other codes it can. */
const FINAL: ReadonlySet<number> = new Set([
  1000,
  1001,
  CLOSE.authenticationFailed,
  CLOSE.invalidSequence,
  CLOSE.sessionTimedOut,
  CLOSE.invalidShard,
  4011,
  CLOSE.invalidVersion,
  CLOSE.invalidIntents,
  CLOSE.disallowedIntents,
])

export function endsSession(code: number): boolean {
  return FINAL.has(code)
}

/** A message from a bot to the gateway. */
export type ClientMessage =
  | { kind: 'heartbeat'; seq: number | null }
  | { kind: 'identify'; token: string; intents: number; shard: readonly [number, number] }
  | { kind: 'resume'; token: string; sessionId: string; seq: number }
  | { kind: 'voice'; guildId: string; channelId: string | null; selfMute: boolean; selfDeaf: boolean }
  | {
      kind: 'members'
      guildId: string
      userIds: readonly string[]
      query: string | undefined
      limit: number
      nonce?: string
    }
  | { kind: 'ignored' }
  /** The connection is closed with this code. */
  | { kind: 'wrong'; close: number }

const MAX_BYTES = 4096

/** Reads one message; never throws. */
export function readClientMessage(data: string): ClientMessage {
  if (Buffer.byteLength(data) > MAX_BYTES) return { kind: 'wrong', close: CLOSE.decodeError }
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch {
    return { kind: 'wrong', close: CLOSE.decodeError }
  }
  if (!isJson(message)) return { kind: 'wrong', close: CLOSE.decodeError }
  const { op, d } = message
  if (op === OP.heartbeat) return { kind: 'heartbeat', seq: typeof d === 'number' ? d : null }
  if (op === OP.presence) return { kind: 'ignored' }
  const read = READERS[op as keyof typeof READERS]
  if (!read) return { kind: 'wrong', close: CLOSE.unknownOpcode }
  return (isJson(d) ? read(d) : undefined) ?? { kind: 'wrong', close: CLOSE.decodeError }
}

const READERS: Readonly<Record<number, (d: Json) => ClientMessage | undefined>> = {
  [OP.identify]: d => {
    const [token, intents] = [stringIn(d, 'token'), numberIn(d, 'intents')]
    if (token === undefined || intents === undefined || !isJson(d.properties)) return undefined
    const shard = Array.isArray(d.shard) ? (d.shard as unknown[]) : [0, 1]
    const [id, count] = shard.map(Number)
    return { kind: 'identify', token, intents, shard: [id ?? Number.NaN, count ?? Number.NaN] }
  },
  [OP.resume]: d => {
    const [token, sessionId, seq] = [stringIn(d, 'token'), stringIn(d, 'session_id'), numberIn(d, 'seq')]
    if (token === undefined || sessionId === undefined || seq === undefined) return undefined
    return { kind: 'resume', token, sessionId, seq }
  },
  [OP.voiceState]: d => {
    const [guildId, channelId] = [stringIn(d, 'guild_id'), stringIn(d, 'channel_id') ?? null]
    if (guildId === undefined) return undefined
    return {
      kind: 'voice',
      guildId,
      channelId,
      selfMute: d.self_mute === true,
      selfDeaf: d.self_deaf === true,
    }
  },
  [OP.requestMembers]: d => {
    const guildId = stringIn(d, 'guild_id')
    if (guildId === undefined) return undefined
    const ids = Array.isArray(d.user_ids) ? d.user_ids : d.user_ids === undefined ? [] : [d.user_ids]
    const nonce = stringIn(d, 'nonce')
    return {
      kind: 'members',
      guildId,
      userIds: ids.map(String),
      query: stringIn(d, 'query'),
      limit: numberIn(d, 'limit') ?? 0,
      nonce,
    }
  },
}
