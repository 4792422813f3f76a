import type { RecordingView, SimulatedCallView, SimulatedOrder } from './wire.ts'

/** Takes what a simulated phone hears, as it hears it. */
export interface PhoneEar {
  /** Mono, 16 bit, `SOUND_RATE`; about ten times a second, silence included. Borrowed for the call only. */
  hear(pcm: Int16Array): void
  /** The phone has hung up. Called once. */
  end(): void
}

/**
 * Telephones that are none, in calls to this very server. They alone can be listened to: nobody is at their end who
 * would have to be asked.
 */
export interface SimulatedCalls {
  /** Calls that go on. */
  readonly calls: readonly SimulatedCallView[]
  recordings(): Promise<readonly RecordingView[]>
  /** Rejects with `ControlError`: `capacity`, `value_not_allowed`, `not_now`. */
  place(order: SimulatedOrder): Promise<SimulatedCallView>
  /** False: there is no such call. */
  end(id: string): Promise<boolean>
  /** `undefined`: no such phone, or too many listen to it. Disposing stops it. */
  listen(id: string, phone: number, ear: PhoneEar): Disposable | undefined
  /** The simulated call that a leg of the far system's `call` is a phone of. */
  phoneOf(call: string | undefined): { readonly call: string; readonly phone: number } | null
}
