export type { OverloadFigures } from '../../net/overload.ts'
export type { RequestGuardCounters } from '../../net/request-guard.ts'
export type { ServerLimits } from '../../net/server-limits.ts'
export type { SpokenPart } from '../contract.ts'
export type {
  EngineReport,
  GlossaryEntry,
  HearingOptions,
  InterpretationRequest,
  InterpretationSink,
  InterpretedText,
  ReportingEngine,
  Speech,
  SpeechStream,
  SpeechToText,
  SpeechTranslator,
  Synthesizer,
  TextTranslator,
  Transcript,
  TranscriptSink,
  TranslatedTurn,
  TranslationOptions,
} from '../engines/engine.ts'
export { EngineError, type EngineKind } from '../engines/engine.ts'
export { EngineSet, type OfferedVoice } from '../engines/engine-set.ts'
export type { InterpretationFigures } from '../engines/interpret/interpretation-figures.ts'
export type { EngineFigures, MissingEngine, Outcome, StandIn } from '../engines/usage/engine-figures.ts'
export type { EngineUsage } from '../engines/usage/engine-usage.ts'
export type { Batch } from './batch/batch.ts'
export { ERROR_TABLE, type ErrorName, type FailureDelivery, ServiceError } from './errors.ts'
export type { KeyFigures } from './keys/key-holder.ts'
export type { ServiceLimits } from './limits.ts'
export type { ServiceFigures } from './process/messages.ts'
export { ServiceProcess, type ServiceProcessOptions } from './process/service-process.ts'
export { buildService, type Service, type ServiceOptions } from './service.ts'
export { type ServiceConfig, type ServiceSettings, serviceConfigSchema } from './settings.ts'
