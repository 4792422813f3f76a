/** What goes wrong on the main gateway. Each method acts at once, on every connection that is open. */
export interface GatewayFaults {
  /** Closes with this code; 1000 and 1001 end the session, others leave it to be resumed, as in life. */
  close(code: number, reason?: string): void
  /** The connection breaks without a close. */
  drop(): void
  /** Op 7: please reconnect and resume. */
  reconnect(): void
  /** Op 9: the session cannot be resumed, or (`true`) may be. */
  invalidSession(resumable?: boolean): void
  /** While true heartbeats are not acknowledged. */
  ignoreHeartbeats: boolean
  /** While true nothing is sent any more, though the socket stays open: a zombie. What happens is kept for a resume. */
  mute: boolean
  /** While true no session can be resumed: op 9 with `false`. */
  refuseResume: boolean
  /** While set, Identify is answered by a close with this code. */
  refuseIdentify: number | undefined
  /** How many sessions may still be begun today; at 0 the token is no good (Discord: Session Start Limit). */
  identifiesLeft: number
  /** While true connections are refused. */
  refuseConnections: boolean
  /** While true connections to the address for resuming, which READY told, are refused; others are not. */
  refuseResumeUrl: boolean
}

/** A session of a bot on the gateway, as it was when one looked. */
export interface SeenGatewaySession {
  readonly sessionId: string
  readonly intents: number
  readonly shard: readonly [number, number]
  /** How often it was resumed. */
  readonly resumes: number
  /** Dispatches that were sent a second time on resuming. */
  readonly replayed: number
  readonly connected: boolean
}
