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
