import type { ServiceError } from '../service-error.ts'

/** Output of a session to its client. */
export interface Outlet {
  /** Sends an event. Does nothing once the session has ended; a client that does not read ends the session. */
  emit(event: string, payload: unknown): void
  /** Reports a failure to the client, and ends the session for errors that are fatal in the error table. */
  fault(error: ServiceError): void
  /** Waits until the client has read most of the data sent to it. For deferrable work; never rejects. */
  room(): Promise<void>
}
