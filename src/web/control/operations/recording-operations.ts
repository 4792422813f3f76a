import { z } from 'zod'
import type { Recorder } from '../../../core/recorder.ts'
import { recordingSchema } from '../answer-schemas.ts'
import { ControlError } from '../control-error.ts'
import type { Floor } from '../floor.ts'
import { operation } from '../operation.ts'
import { roomParams } from '../request-schemas.ts'
import { assertRoom } from '../views.ts'

/** The recorder. Throws `recording_off` where there is none, `room_unknown`. */
function recorderOf(floor: Floor, room: string): Recorder {
  assertRoom(floor, room)
  if (!floor.recorder) throw new ControlError('recording_off')
  return floor.recorder
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
  summary: 'Records a room',
  about:
    'Everybody is told so first; nothing is kept before that has been heard. A room that is being recorded already is left as it is.',
  status: 202,
  errors: ['room_unknown', 'recording_off', 'not_now', 'capacity'],
  run: (floor, { params: { room } }) => recorderOf(floor, room).start(room),
})

export const getRecording = operation({
  ...common,
  id: 'getRecording',
  method: 'GET',
  summary: 'The recording of a room',
  about: 'The one that goes on.',
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown'],
  run(floor, { params: { room } }) {
    const status = recorderOf(floor, room).of(room)
    if (!status) throw new ControlError('recording_unknown')
    return status
  },
})

export const pauseRecording = operation({
  ...common,
  id: 'pauseRecording',
  method: 'PATCH',
  summary: 'Pauses a recording, or goes on with it',
  about: 'What is said meanwhile is not kept.',
  body: z.strictObject({ paused: z.boolean() }),
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown', 'not_now'],
  run(floor, { params: { room }, body: { paused } }) {
    const recorder = recorderOf(floor, room)
    if (!recorder.of(room)) throw new ControlError('recording_unknown')
    return paused ? recorder.pause(room) : recorder.resume(room)
  },
})

export const stopRecording = operation({
  ...common,
  id: 'stopRecording',
  method: 'DELETE',
  summary: 'Ends a recording',
  about: 'Answers when everything is on the disk.',
  status: 200,
  errors: ['room_unknown', 'recording_off', 'recording_unknown'],
  async run(floor, { params: { room } }) {
    const ended = await recorderOf(floor, room).stop(room)
    if (!ended) throw new ControlError('recording_unknown')
    return ended
  },
})
