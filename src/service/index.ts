export type { AudioData } from './client/audio-bytes.ts'
export type { BatchReply, BatchRequest } from './client/batch-request.ts'
export { RESULT_PLACES, type ResultPlaces, readResult } from './client/result-reader.ts'
export { ServiceClient, type ServiceClientOptions } from './client/service-client.ts'
export { type ClientFault, ServiceFailure } from './client/service-failure.ts'
export type { ServiceSession, SessionInput } from './client/service-session.ts'
export { ServiceTranslator, type ServiceTranslatorOptions } from './client/service-translator.ts'
export type {
  SessionEnd,
  SessionEvent,
  SessionFault,
  SessionResult,
  SessionUtterance,
  SpeechComplete,
} from './client/session-event.ts'
export type { SessionOptions } from './client/session-options.ts'
export type { SessionParameters, WantedAudio } from './client/session-parameters.ts'
export type { VoiceFilter } from './client/voice-query.ts'
export type {
  BatchMode,
  BatchResult,
  BatchUtterance,
  ConnectionParameters,
  EndSynth,
  LanguageEntry,
  Mode,
  Namespace,
  ReceiveAudio,
  ResultFile,
  SendAudio,
  ServiceErrorBody,
  StsResult,
  SttResult,
  TranslatorResult,
  TtsResult,
  VoiceEntry,
} from './contract.ts'
