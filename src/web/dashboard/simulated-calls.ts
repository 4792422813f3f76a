import type { RecordingView, SimulatedCallView, SimulatedOrder } from './protocol.ts'

/** Receives live what a simulated phone hears. */
export interface PhoneEar {
  /** Mono, 16 bit, `SOUND_RATE`; about ten times a second, including silence. Only valid during the call. */
  hear(pcm: Int16Array): void
  /** The phone has hung up. Called once. */
  end(): void
}

/** Simulated phones in calls to this server. Only they can be listened to, because no person would have to consent. */
export interface SimulatedCalls {
  /** Calls in progress. */
  readonly calls: readonly SimulatedCallView[]
  recordings(): Promise<readonly RecordingView[]>
  /** Rejects with `ControlError`: `capacity`, `value_not_allowed`, `not_now`. */
  place(order: SimulatedOrder): Promise<SimulatedCallView>
  /** Resolves to false if there is no such call. */
  end(id: string): Promise<boolean>
  /** Returns undefined if the phone does not exist or has too many listeners. Disposing stops it. */
  listen(id: string, phone: number, ear: PhoneEar): Disposable | undefined
  /** Returns the simulated call to which the peer’s `call` belongs. */
  phoneOf(call: string | undefined): { readonly call: string; readonly phone: number } | null
}
