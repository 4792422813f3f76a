import { BridgeError } from '../../../src/common/errors.ts'
import type { Recorder, RecordingState, RecordingStatus } from '../../../src/core/model/recording.ts'

/** Records nothing, but has the states of the real recorder. */
export class FakeRecorder implements Recorder {
  readonly #rooms = new Map<string, RecordingStatus>()

  of(room: string): RecordingStatus | undefined {
    return this.#rooms.get(room)
  }

  start(room: string): RecordingStatus {
    if (room === 'nobody') throw new BridgeError('STATE', 'the room is empty')
    return this.#rooms.get(room) ?? this.#set(room, 'notice')
  }

  pause(room: string): RecordingStatus {
    return this.#set(room, 'paused')
  }

  resume(room: string): RecordingStatus {
    return this.#set(room, 'recording')
  }

  async stop(room: string): Promise<RecordingStatus | undefined> {
    const status = this.#rooms.get(room)
    this.#rooms.delete(room)
    return status && { ...status, state: 'ended' }
  }

  #set(room: string, state: RecordingState): RecordingStatus {
    const status = { id: `rec ${room}`, room, state, keptMs: 0 }
    this.#rooms.set(room, status)
    return status
  }
}
