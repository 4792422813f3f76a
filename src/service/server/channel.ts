/** The way to one client, as a session uses it. */
export interface Channel {
  /** Bytes handed over that the client has not read yet, nearly. */
  readonly unreadBytes: number
  emit(event: string, payload: unknown): void
  /** Resolves when everything handed over has left, or when the client has gone. */
  drained(): Promise<void>
  /** Disconnects after what was emitted has gone out. */
  end(): void
}
