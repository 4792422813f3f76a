import { z } from 'zod'
import { type AnyOperation, operation } from './operation.ts'
import { play, say, stopAnnouncement } from './operations/announcements.ts'
import { dial, getCall, hangUpCall, listCalls } from './operations/calls.ts'
import { linkCaptions, readCaptions, revokeLinks } from './operations/captions.ts'
import { createCode, linkRoom, listCodes, revokeCode, revokeRoomLinks } from './operations/join.ts'
import {
  changeParticipant,
  getParticipant,
  hangUpParticipant,
  listParticipants,
} from './operations/participants.ts'
import { getRecording, pauseRecording, startRecording, stopRecording } from './operations/recordings.ts'
import { createRoom, endRoomNow, getRoom, listRooms } from './operations/rooms.ts'
import {
  deleteTranscript,
  forgetRoomTranscript,
  getTranscript,
  listTranscripts,
  roomTranscript,
} from './operations/transcripts.ts'
import { webhookSchema } from './schemas.ts'

const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  group: 'Webhooks',
  summary: 'Gets the state of the webhook receivers',
  about: 'The receivers of the settings (`webhooks`), by name, without addresses and secrets.',
  status: 200,
  answer: z.strictObject({ webhooks: z.array(webhookSchema) }),
  errors: [],
  run: context => ({ webhooks: context.webhooks.stats }),
})

/** All operations of the control API, in the order of its description. A route that is missing here fails a test. */
export const OPERATIONS: readonly AnyOperation[] = [
  createRoom,
  listRooms,
  getRoom,
  endRoomNow,
  listParticipants,
  getParticipant,
  changeParticipant,
  hangUpParticipant,
  dial,
  listCalls,
  getCall,
  hangUpCall,
  createCode,
  listCodes,
  revokeCode,
  linkRoom,
  revokeRoomLinks,
  say,
  play,
  stopAnnouncement,
  readCaptions,
  linkCaptions,
  revokeLinks,
  roomTranscript,
  forgetRoomTranscript,
  listTranscripts,
  getTranscript,
  deleteTranscript,
  startRecording,
  getRecording,
  pauseRecording,
  stopRecording,
  listWebhooks,
]
