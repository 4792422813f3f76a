export type {
  Speech,
  SpeechStream,
  SpeechToText,
  Synthesizer,
  TextTranslator,
  Transcript,
  TranscriptSink,
} from './engines/engine.ts'
export { EngineError, type EngineKind } from './engines/engine.ts'
export { EngineSet, type OfferedVoice } from './engines/engine-set.ts'
export { type Delivery, ERROR_TABLE, type ErrorName, ServiceError } from './errors.ts'
export { ServiceProcess, type ServiceProcessOptions } from './process/service-process.ts'
export { buildService, type Service, type ServiceOptions } from './service.ts'
export { type ServiceConfig, type ServiceSettings, serviceConfigSchema } from './settings.ts'
