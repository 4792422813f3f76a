/** The public API: the whole server, or its parts for other programs. See `docs/design/architecture.md`. */

export {
  type App,
  type AppConfig,
  type AppOptions,
  buildApp,
  type Overload,
  type RequestGuard,
} from './app/app.ts'
export type { Drain } from './app/drain.ts'
export type { BridgeLimits } from './app/server.ts'
export {
  type AnnouncerOptions,
  type LanguageOfferOptions,
  languageCatalog,
  openAnnouncer,
  talkCatalog,
} from './app/service.ts'
export type { Started } from './app/settings/cross-checks.ts'
export type { Environment } from './app/settings/environment.ts'
export type { ConfigSources, DeepPartial } from './app/settings/load.ts'
export { type Config, ConfigError, loadConfig } from './app/settings/load.ts'
export type { Problem } from './app/settings/problems.ts'
export type { CheckedConfig, ConfigInput } from './app/settings/schema.ts'
export type { NumberQuota } from './bridges/phone/call-policy.ts'
export { type Clock, systemClock } from './common/clock.ts'
export type { BackOff, BridgeErrorOptions } from './common/errors.ts'
export { BridgeError, type ErrorCode } from './common/errors.ts'
export { isLanguageId, type LanguageId, languageId } from './common/language.ts'
export type { EndReason } from './common/lifecycle.ts'
export type { Logger, LogUser } from './common/log.ts'
export type { DeepReadonly, Expanded, SettingsInput } from './common/setting-fields.ts'
export type { WallClock } from './common/wall-clock.ts'
export type { RoomCodesOptions } from './core/calls/room-codes.ts'
export { type RoomCode, RoomCodes } from './core/calls/room-codes.ts'
export { type KeypadSettings, keypadOptions } from './core/calls/settings.ts'
export { SpokenNotices, type SpokenNoticesOptions } from './core/calls/spoken-notices.ts'
export { TwoPartyCalls, type TwoPartyCallsOptions } from './core/calls/two-party-calls.ts'
export type { Announcer, NoticeName, Sound, ToneName } from './core/model/announcer.ts'
export type { Caption } from './core/model/caption.ts'
export type { CaptionDetails, StandInNames } from './core/model/caption-details.ts'
export type { DialEnd, Dialer, DialOutcome, DialRequest, OutgoingCall } from './core/model/dialer.ts'
export type {
  LagEvent,
  NoticeStage,
  Observer,
  ObserverOptions,
  ReceptionEvent,
  RelayEvents,
  ServiceProblem,
  ServiceStatusChange,
  SessionEvent,
  SessionState,
  UtteranceEvent,
} from './core/model/events.ts'
export type {
  Claim,
  Exchange,
  Fleet,
  FleetNode,
  FleetStatus,
  NodeIdentity,
  NodeReport,
  Registrar,
  TableLife,
} from './core/model/fleet.ts'
export type {
  Admission,
  DialPlan,
  Invitation,
  OriginalMix,
  Receives,
  TranslatedVoices,
} from './core/model/invitation.ts'
export type { KeyAction } from './core/model/key-commands.ts'
export type { ServiceTiming, Stage, UtteranceStages } from './core/model/latency-stages.ts'
export type { Leg, LegUplink } from './core/model/leg.ts'
export type { ParticipantChange, ParticipantKey, ParticipantState } from './core/model/participant-state.ts'
export type { Gets, Reception, Why } from './core/model/reception.ts'
export type {
  Recorder,
  RecordingFault,
  RecordingState,
  RecordingStatus,
  Tap,
  Track,
} from './core/model/recording.ts'
export type { RelayCounters } from './core/model/relay-counters.ts'
export type { RelaySettingsInput } from './core/model/relay-settings.ts'
export { type RelaySettings, relayOptions } from './core/model/relay-settings.ts'
export type { SharedState } from './core/model/shared-state.ts'
export type { Announcement, AnnouncementEnd, AnnounceOptions } from './core/playout/announcement.ts'
export type { Participant } from './core/room/participant.ts'
export { Relay, type RelayOptions } from './core/room/relay.ts'
export type { Room } from './core/room/room.ts'
export type {
  AudioSender,
  Connection,
  ConnectionSink,
  TranslationRequest,
  TranslationResult,
  Translator,
} from './core/translation/translator.ts'
export type { ServerLimits } from './net/server-limits.ts'
