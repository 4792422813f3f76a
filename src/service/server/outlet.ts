import type { ServiceError } from './service-error.ts'

/** The way from a session's work to its client. */
export interface Outlet {
  /** Sends an event. Nothing goes out once the session has ended; a client that does not read ends it. */
  emit(event: string, payload: unknown): void
  /** Tells the client about a failure, and ends the session where the error table says so. */
  fault(error: ServiceError): void
  /** Waits until the client has read most of what it was sent. For work that can wait; never rejects. */
  room(): Promise<void>
}
