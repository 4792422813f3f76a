/** The public API: the whole server, or its parts for other programs. See `docs/architecture.md`. */

export { type AnnouncerParts, openAnnouncer } from './app/announcer.ts'
export { type LanguageOfferTerms, languageOffer } from './app/language-offer.ts'
export { talkOffer } from './app/talk-offer.ts'
export { type App, type AppConfig, type AppParts, buildApp } from './app.ts'
export { type Config, ConfigError, loadConfig } from './config.ts'
export type { Announcement, AnnouncementEnd, AnnounceOptions } from './core/announcement.ts'
export type { Announcer, NoticeName, ToneName } from './core/announcer.ts'
export { Attendant, type AttendantParts } from './core/attendant.ts'
export { type AttendantOptions, attendantOptions } from './core/attendant-options.ts'
export { type Clock, systemClock } from './core/clock.ts'
export type { DialEnd, Dialler, DialOutcome, DialRequest, OutgoingCall } from './core/dialler.ts'
export { BridgeError, type EndReason, type ErrorCode } from './core/errors.ts'
export type { Admission, DialPlan, Invitation, OriginalVoice } from './core/invitation.ts'
export { isLanguageId, type LanguageId, languageId } from './core/languages.ts'
export type { Leg, LegUplink } from './core/leg.ts'
export type { Log } from './core/log.ts'
export type { RelayMetrics } from './core/metrics.ts'
export type {
  Caption,
  LagEvent,
  Observer,
  RelayEvents,
  SessionEvent,
  UtteranceEvent,
} from './core/observer.ts'
export type { Participant } from './core/participant.ts'
export type { PartyChange, PartyState } from './core/party-state.ts'
export { Relay, type RelayParts } from './core/relay.ts'
export { type RelayOptions, relayOptions } from './core/relay-options.ts'
export type { Room } from './core/room.ts'
export { type RoomCode, RoomCodes } from './core/room-codes.ts'
export type { Sound } from './core/sound.ts'
export { Switchboard, type SwitchboardParts } from './core/switchboard.ts'
export type { Tap, Track } from './core/tap.ts'
export type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  TranslationResult,
  Translator,
} from './core/translator.ts'
