/** Faults of the main gateway. Each method acts at once, on every open connection. */
export interface GatewayFaults {
  /** Closes with this code; 1000 and 1001 end the session, with others it can be resumed, as at Discord. */
  close(code: number, reason?: string): void
  /** Breaks the connection without a close frame. */
  drop(): void
  /** Op 7: reconnect and resume. */
  reconnect(): void
  /** Op 9: the session cannot be resumed, or (`true`) can be. */
  invalidSession(resumable?: boolean): void
  /** While true, heartbeats are not acknowledged. */
  ignoreHeartbeats: boolean
  /** While true, nothing is sent although the socket stays open: a zombie. Events are kept for a resume. */
  mute: boolean
  /** While true, no session can be resumed: op 9 with `false`. */
  refuseResume: boolean
  /** While set, Identify is answered by a close with this code. */
  refuseIdentify: number | undefined
  /** Number of sessions that can still be started today; at 0 the token is rejected (Discord: Session Start Limit). */
  identifiesLeft: number
  /** While true, connections are rejected. */
  refuseConnections: boolean
  /** While true, only connections to the resume address from READY are rejected. */
  refuseResumeUrl: boolean
}

/** Snapshot of a bot's session on the gateway. */
export interface SeenGatewaySession {
  readonly sessionId: string
  readonly intents: number
  readonly shard: readonly [number, number]
  /** Number of resumes. */
  readonly resumes: number
  /** Number of dispatches that were sent again on a resume. */
  readonly replayed: number
  readonly connected: boolean
}
