import { z } from 'zod'
import type { Recorder } from '../../../core/model/recording.ts'
import type { ControlContext } from '../control-context.ts'
import { ControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { recordingSchema, roomParams } from '../schemas.ts'
import { assertRoom } from '../views.ts'

/** Returns the recorder. Throws `recording_off` or `room_unknown`. */
function recorderOf(context: ControlContext, room: string): Recorder {
  assertRoom(context, room)
  if (!context.recorder) throw new ControlError('recording_off')
  return context.recorder
}

const common = {
  path: '/rooms/{room}/recording',
  group: 'Recording',
  params: roomParams,
  answer: recordingSchema,
} as const

export const startRecording = operation({
  ...common,
  id: 'startRecording',
  method: 'POST',
  summary: 'Starts recording a room',
  about:
    'All participants are notified first; recording starts after the notice. A recording in progress continues unchanged.',
  status: 202,
  errors: ['room_unknown', 'recording_off', 'not_now', 'capacity'],
  run: (context, { params: { room } }) => recorderOf(context, room).start(room),
})

export const getRecording = operation({
  ...common,
  id: 'getRecording',
  method: 'GET',
  summary: 'Gets the recording of a room',
  about: 'The recording in progress.',
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown'],
  run(context, { params: { room } }) {
    const status = recorderOf(context, room).of(room)
    if (!status) throw new ControlError('recording_unknown')
    return status
  },
})

export const pauseRecording = operation({
  ...common,
  id: 'pauseRecording',
  method: 'PATCH',
  summary: 'Pauses or resumes a recording',
  about: 'Speech during the pause is not recorded.',
  body: z.strictObject({ paused: z.boolean() }),
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown', 'not_now'],
  run(context, { params: { room }, body: { paused } }) {
    const recorder = recorderOf(context, room)
    if (!recorder.of(room)) throw new ControlError('recording_unknown')
    return paused ? recorder.pause(room) : recorder.resume(room)
  },
})

export const stopRecording = operation({
  ...common,
  id: 'stopRecording',
  method: 'DELETE',
  summary: 'Ends a recording',
  about: 'Responds when all data is on disk.',
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown'],
  async run(context, { params: { room } }) {
    const ended = await recorderOf(context, room).stop(room)
    if (!ended) throw new ControlError('recording_unknown')
    return ended
  },
})
