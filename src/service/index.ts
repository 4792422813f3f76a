export type { AudioData, BatchReply, BatchRequest } from './client/batch-request.ts'
export type { FailureDetails } from './client/errors.ts'
export { type ClientFault, ServiceClientError } from './client/errors.ts'
export { RESULT_PATHS, type ResultPaths } from './client/result-paths.ts'
export { readResult } from './client/result-reader.ts'
export type { VoiceFilter } from './client/service-client.ts'
export { ServiceClient, type ServiceClientOptions } from './client/service-client.ts'
export type { ServiceSession, SessionInput } from './client/session.ts'
export type {
  ServiceEvent,
  SessionEnd,
  SessionFault,
  SessionResult,
  SessionUtterance,
  SpeechComplete,
} from './client/session-events.ts'
export type {
  Everywhere,
  ReceivedLanguage,
  SessionParameters,
  Speaking,
  WantedAudio,
} from './client/session-query.ts'
export { ServiceTranslator, type ServiceTranslatorOptions } from './client/translator.ts'
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
  SpokenPart,
  StageTiming,
  StsResult,
  SttResult,
  TranslatorResult,
  TtsResult,
  VoiceEntry,
} from './contract.ts'
