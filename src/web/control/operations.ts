import type { AnyOperation } from './operation.ts'
import { play, say, stopAnnouncement } from './operations/announcements.ts'
import { dial, getCall, hangUpCall, listCalls } from './operations/calls.ts'
import { linkCaptions, readCaptions, revokeLinks } from './operations/captions.ts'
import { createCode, listCodes, revokeCode } from './operations/code-operations.ts'
import {
  changeParticipant,
  getParticipant,
  hangUpParticipant,
  listParticipants,
} from './operations/participants.ts'
import { getRecording, pauseRecording, startRecording, stopRecording } from './operations/recordings.ts'
import { linkRoom, revokeRoomLinks } from './operations/room-link-operations.ts'
import { createRoom, endRoomNow, getRoom, listRooms } from './operations/rooms.ts'
import {
  deleteTranscript,
  forgetRoomTranscript,
  getTranscript,
  listTranscripts,
  roomTranscript,
} from './operations/transcripts.ts'
import { listWebhooks } from './webhook-operations.ts'

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
