import type { AnyOperation } from './operation.ts'
import { dial, getCall, hangUpCall, listCalls } from './operations/call-operations.ts'
import { linkCaptions, readCaptions, revokeLinks } from './operations/caption-operations.ts'
import { createCode, listCodes, revokeCode } from './operations/code-operations.ts'
import {
  changeParticipant,
  getParticipant,
  hangUpParticipant,
  listParticipants,
} from './operations/participant-operations.ts'
import {
  getRecording,
  pauseRecording,
  startRecording,
  stopRecording,
} from './operations/recording-operations.ts'
import { linkRoom, revokeRoomLinks } from './operations/room-link-operations.ts'
import { createRoom, endRoomNow, getRoom, listRooms } from './operations/room-operations.ts'
import { play, say, stopAnnouncement } from './operations/sound-operations.ts'
import {
  deleteTranscript,
  forgetRoomTranscript,
  getTranscript,
  listTranscripts,
  roomTranscript,
} from './operations/transcript-operations.ts'
import { listWebhooks } from './operations/webhook-operations.ts'

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
