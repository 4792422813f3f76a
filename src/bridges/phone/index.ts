/**
 * The shared parts of all phone carriers, as the package entry `dragoman/telephony`: a carrier implements the ports, and
 * `registerCarrier` does the rest.
 */

export type { RoomEntry, RoomPlacement } from '../../core/calls/room-homes.ts'
export type { HostPlugin } from '../../net/host-plugin.ts'
export type { LegTransport } from '../websocket/guarded-socket.ts'
export type { AccountState, CallInstructions, Carrier, Instructions, KeyPlan, StreamPlan } from './carrier.ts'
export {
  type CallOrder,
  type CarrierApi,
  CarrierError,
  type CarrierErrorOptions,
  type CarrierMessage,
  type CarrierMessageFault,
  type CarrierRequest,
  type CarrierRequests,
  type FailureKind,
  type FieldWords,
  type LineCodec,
  type LineFormat,
  type MediaDialect,
  PHONE_LINE,
  type RequestVerifier,
  type Start,
  type StreamMessages,
  type StreamTrack,
  type VerifierFactory,
} from './carrier.ts'
export {
  type CarrierBridge,
  type CarrierBridgeOptions,
  carrierBridgeFields,
  registerCarrier,
} from './carrier-bridge.ts'
export {
  basicAuthorization,
  hasBasicCredentials,
  hasBearerToken,
  LocalOnlyVerifier,
} from './credentials.ts'
export type { DayLedger, Used } from './day-usage.ts'
export type { CarrierFleet } from './fleet-calls.ts'
export type { CallNote, CallRecord, CallStore } from './history/call-history.ts'
export type {
  Answers,
  CallerPrompt,
  Decision,
  DrainState,
  IncomingCall,
  Rejection,
  Spoken,
  SpokenNotice,
  WebhookCall,
} from './incoming-call.ts'
export { CLOSE_CODES, type CloseCause } from './leg/close-codes.ts'
export { LegCounters } from './leg/leg-counters.ts'
export type { PhoneLeg } from './leg/phone-leg.ts'
export { DEFAULT_LIMITS, type StreamLimits } from './limits.ts'
export { callForm, rawCallForm } from './markup/call-form.ts'
export type { StreamAttributes } from './markup/call-xml.ts'
export { callXml, escapeXml } from './markup/call-xml.ts'
export type { MediaStreams } from './media-streams.ts'
export type { DialHost } from './outbound/carrier-dialer.ts'
export {
  CarrierDialer,
  DialCounters,
  type DialerOptions,
  type DialerSettings,
} from './outbound/carrier-dialer.ts'
export { type DestinationFault, type DestinationRules, destinationFault } from './outbound/destination.ts'
export type { DialInput, FinalStatus } from './outbound/outbound-call-state.ts'
export type { OutboundSettings } from './outbound/settings.ts'
export { PublicUrl } from './public-url.ts'
export {
  CarrierRest,
  type CarrierRestOptions,
  type RestFailure,
  type RestFields,
} from './rest/carrier-rest.ts'
export { RESUMES_FIELD } from './resumption.ts'
