import { z } from 'zod'

/** Opcodes of the voice gateway, version 8 (Discord, "Opcodes and status codes"; daveprotocol.com for 21–31). */
export const Op = {
  identify: 0,
  selectProtocol: 1,
  ready: 2,
  heartbeat: 3,
  sessionDescription: 4,
  speaking: 5,
  heartbeatAck: 6,
  resume: 7,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
  clientFlags: 18,
  clientPlatform: 20,
  prepareTransition: 21,
  executeTransition: 22,
  transitionReady: 23,
  prepareEpoch: 24,
  externalSender: 25,
  keyPackage: 26,
  proposals: 27,
  commitWelcome: 28,
  announceCommit: 29,
  welcome: 30,
  invalidCommitWelcome: 31,
} as const

/** Close codes of the voice gateway (Discord, "Voice close event codes"). */
export const Close = {
  unknownOpcode: 4001,
  undecodable: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  sessionInvalid: 4006,
  sessionTimeout: 4009,
  serverNotFound: 4011,
  unknownProtocol: 4012,
  disconnected: 4014,
  serverCrashed: 4015,
  unknownEncryption: 4016,
  daveRequired: 4017,
  badRequest: 4020,
  rateLimited: 4021,
  callTerminated: 4022,
} as const

/** Op 0. */
export interface Identify {
  readonly kind: 'identify'
  readonly guildId: string
  readonly userId: string
  readonly sessionId: string
  readonly token: string
  /** The highest version of the bot. */
  readonly daveVersion: number
}

/** Op 1. */
export interface SelectProtocol {
  readonly kind: 'select'
  readonly protocol: string
  readonly address: string
  readonly port: number
  readonly mode: string
}

/** Op 7. */
export interface Resume {
  readonly kind: 'resume'
  readonly guildId: string
  readonly sessionId: string
  readonly token: string
  readonly seqAck: number
}

/** Messages allowed only with a Session Description. */
export type Talk =
  | { readonly kind: 'speaking'; readonly flags: number; readonly ssrc: number }
  | { readonly kind: 'transition-ready'; readonly transitionId: number }
  | { readonly kind: 'invalid-commit'; readonly transitionId: number }
  | { readonly kind: 'key-package'; readonly bytes: Buffer }
  | { readonly kind: 'commit-welcome'; readonly bytes: Buffer }

/** Messages from a client on the voice gateway. */
export type Inbound =
  | Identify
  | SelectProtocol
  | Resume
  | Talk
  | { readonly kind: 'heartbeat'; readonly nonce: number; readonly seqAck: number }
  /** The socket is closed with `code`. */
  | { readonly kind: 'wrong'; readonly code: number; readonly why: string }

const text = z.string().min(1)
const seqAck = z.int().min(-1).default(-1)

const BODIES = {
  [Op.identify]: z
    .object({
      server_id: text,
      user_id: text,
      session_id: text,
      token: text,
      max_dave_protocol_version: z.int().min(0).default(0),
    })
    .transform(
      (d): Inbound => ({
        kind: 'identify',
        guildId: d.server_id,
        userId: d.user_id,
        sessionId: d.session_id,
        token: d.token,
        daveVersion: d.max_dave_protocol_version,
      }),
    ),
  [Op.selectProtocol]: z
    .object({
      protocol: text,
      data: z.object({ address: text, port: z.int().min(1).max(65_535), mode: text }),
    })
    .transform((d): Inbound => ({ kind: 'select', protocol: d.protocol, ...d.data })),
  [Op.heartbeat]: z
    .object({ t: z.number(), seq_ack: seqAck })
    .transform((d): Inbound => ({ kind: 'heartbeat', nonce: d.t, seqAck: d.seq_ack })),
  [Op.speaking]: z
    .object({ speaking: z.int().min(0), ssrc: z.int().min(0) })
    .transform((d): Inbound => ({ kind: 'speaking', flags: d.speaking, ssrc: d.ssrc })),
  [Op.resume]: z.object({ server_id: text, session_id: text, token: text, seq_ack: seqAck }).transform(
    (d): Inbound => ({
      kind: 'resume',
      guildId: d.server_id,
      sessionId: d.session_id,
      token: d.token,
      seqAck: d.seq_ack,
    }),
  ),
  [Op.transitionReady]: z
    .object({ transition_id: z.int().min(0) })
    .transform((d): Inbound => ({ kind: 'transition-ready', transitionId: d.transition_id })),
  [Op.invalidCommitWelcome]: z
    .object({ transition_id: z.int().min(0) })
    .transform((d): Inbound => ({ kind: 'invalid-commit', transitionId: d.transition_id })),
}

const Envelope = z.object({ op: z.int(), d: z.unknown() })

/** Reads a text message. */
export function readText(message: string): Inbound {
  let json: unknown
  try {
    json = JSON.parse(message)
  } catch {
    return wrong(Close.undecodable, 'not valid JSON')
  }
  const envelope = Envelope.safeParse(json)
  if (!envelope.success) return wrong(Close.undecodable, 'a message must have op and d')
  const { op, d } = envelope.data
  if (!isKnown(op)) return wrong(Close.unknownOpcode, `unexpected op ${op} for this server`)
  const body = BODIES[op].safeParse(d)
  return body.success ? body.data : wrong(Close.undecodable, `op ${op} has an invalid body`)
}

/** Reads a binary message: the opcode in one byte, then the payload. */
export function readBinary(message: Buffer): Inbound {
  const bytes = message.subarray(1)
  switch (message[0]) {
    case Op.keyPackage:
      return { kind: 'key-package', bytes }
    case Op.commitWelcome:
      return { kind: 'commit-welcome', bytes }
    case undefined:
      return wrong(Close.undecodable, 'a binary message must start with its opcode')
    default:
      return wrong(Close.unknownOpcode, `unexpected binary op ${message[0]} for this server`)
  }
}

function isKnown(op: number): op is keyof typeof BODIES {
  return op in BODIES
}

function wrong(code: number, why: string): Inbound {
  return { kind: 'wrong', code, why }
}
