/** Connection to one client, as a session uses it. */
export interface Channel {
  /** Approximate number of bytes sent that the client has not read yet. */
  readonly unreadBytes: number
  emit(event: string, payload: unknown): void
  /** Resolves when everything emitted has been sent, or when the client has disconnected. */
  drained(): Promise<void>
  /** Disconnects after everything emitted has been sent. */
  end(): void
}
