/** The public API: the whole server, or its parts for other programs. See `docs/architecture.md`. */

export { type App, type AppConfig, type AppOptions, buildApp } from './app/app.ts'
export {
  type AnnouncerOptions,
  type LanguageOfferOptions,
  languageCatalog,
  openAnnouncer,
  talkCatalog,
} from './app/service.ts'
export { type Clock, systemClock } from './common/clock.ts'
export { BridgeError, type ErrorCode } from './common/errors.ts'
export { isLanguageId, type LanguageId, languageId } from './common/language.ts'
export type { EndReason } from './common/lifecycle.ts'
export type { Logger } from './common/log.ts'
export { type Config, ConfigError, loadConfig } from './config/load.ts'
export { Attendant, type AttendantOptions } from './core/calls/attendant.ts'
export { type RoomCode, RoomCodes } from './core/calls/room-codes.ts'
export { type AttendantSettings, attendantOptions } from './core/calls/settings.ts'
export { Switchboard, type SwitchboardOptions } from './core/calls/switchboard.ts'
export type { Announcer, NoticeName, Sound, ToneName } from './core/model/announcer.ts'
export type { DialEnd, Dialer, DialOutcome, DialRequest, OutgoingCall } from './core/model/dialer.ts'
export type {
  Caption,
  LagEvent,
  Observer,
  RelayEvents,
  SessionEvent,
  UtteranceEvent,
} from './core/model/events.ts'
export type { Admission, DialPlan, Invitation, OriginalMix } from './core/model/invitation.ts'
export type { Leg, LegUplink } from './core/model/leg.ts'
export type { ParticipantChange, ParticipantState } from './core/model/participant-state.ts'
export type { Tap, Track } from './core/model/recording.ts'
export type { RelayMetrics } from './core/model/relay-metrics.ts'
export { type RelaySettings, relayOptions } from './core/model/relay-settings.ts'
export type { Announcement, AnnouncementEnd, AnnounceOptions } from './core/playout/announcement.ts'
export type { Participant } from './core/room/participant.ts'
export { Relay, type RelayOptions } from './core/room/relay.ts'
export type { Room } from './core/room/room.ts'
export type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  TranslationResult,
  Translator,
} from './core/translation/translator.ts'
