/** How far a recording is: `notice` while people are told of it, nothing is kept before that has been heard. */
export type RecordingState = 'notice' | 'recording' | 'paused' | 'ended'

/** What is wrong with a recording that goes on: sound is missing from it. */
export type RecordingFault = 'disk-failed' | 'disk-slow'

/** A recording of one room. */
export interface RecordingStatus {
  /** Ours, unique in this process. */
  readonly id: string
  readonly room: string
  readonly state: RecordingState
  /** Sound kept so far, without pauses (ms). */
  readonly keptMs: number
  /** The latest thing that went wrong; absent: nothing did. */
  readonly fault?: RecordingFault
}

/**
 * Records rooms, when the settings allow it at all. At most one recording a room at a time. What happens is told to the
 * observer as `recording`; a recording ends with its room.
 */
export interface Recorder {
  /** The recording of `room` that has not ended. */
  of(room: string): RecordingStatus | undefined
  /**
   * Plays the notice and records from then on. A room that is being recorded already is left as it is.
   * Throws `BridgeError` `STATE` when nobody is in `room`, `CAPACITY` when no more can be kept.
   */
  start(room: string): RecordingStatus
  /** Idempotent. Throws `BridgeError` `STATE` when `room` is not being recorded. */
  pause(room: string): RecordingStatus
  /** Idempotent. Throws as `pause` does. */
  resume(room: string): RecordingStatus
  /** Ends it. Settles when everything is kept; undefined when there was none. */
  stop(room: string): Promise<RecordingStatus | undefined>
}
