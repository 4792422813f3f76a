export { RESULT_PLACES, type ResultPlaces, readResult } from './client/result-reader.ts'
export { ServiceHttp, type ServiceHttpOptions, type VoiceFilter } from './client/service-http.ts'
export { ServiceTranslator, type ServiceTranslatorOptions } from './client/service-translator.ts'
export type {
  ConnectionParameters,
  EndSynth,
  LanguageEntry,
  Namespace,
  ReceiveAudio,
  SendAudio,
  ServiceErrorBody,
  StsResult,
  SttResult,
  VoiceEntry,
} from './contract.ts'
