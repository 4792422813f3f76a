/** State of a recording. No audio is recorded during `notice`, before participants have heard the announcement. */
export type RecordingState = 'notice' | 'recording' | 'paused' | 'ended'

/** A fault in a recording that continues: some audio is missing. */
export type RecordingFault = 'disk-failed' | 'disk-slow'

/** A recording of one room. */
export interface RecordingStatus {
  /** Unique in this process. */
  readonly id: string
  readonly room: string
  readonly state: RecordingState
  /** Recorded audio, without pauses (ms). */
  readonly keptMs: number
  /** The latest fault, if any. */
  readonly fault?: RecordingFault
}

/**
 * Records rooms, if recording is enabled; at most one recording per room at a time. Emits `recording` events through
 * the observer. A recording ends with its room.
 */
export interface Recorder {
  /** Returns the active recording of `room`. */
  of(room: string): RecordingStatus | undefined
  /**
   * Plays the notice, then starts recording. Does nothing if `room` is being recorded already. Throws `BridgeError`
   * `STATE` if the room is empty, `CAPACITY` if storage is full.
   */
  start(room: string): RecordingStatus
  /** Idempotent. Throws `BridgeError` `STATE` if `room` is not being recorded. */
  pause(room: string): RecordingStatus
  /** Idempotent. Throws as `pause` does. */
  resume(room: string): RecordingStatus
  /** Stops the recording. Resolves when it is stored completely; undefined if no recording was active. */
  stop(room: string): Promise<RecordingStatus | undefined>
}
