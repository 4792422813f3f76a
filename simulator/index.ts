/**
 * Simulators of phones, Twilio, Discord and the translation service, usable without an account. Public entry
 * `dragoman/simulator`.
 */

import { plivoProfile } from './plivo/profile.ts'
import { signalwireProfile } from './signalwire/signalwire-simulator.ts'
import { telnyxProfile } from './telnyx/telnyx-simulator.ts'
import { type PhoneProfile, twilioProfile } from './twilio/phone/profile.ts'

/** Phones of every carrier that answers webhooks with XML, by the name of the carrier. */
export const PHONE_PROFILES: Readonly<Record<string, PhoneProfile>> = {
  twilio: twilioProfile,
  signalwire: signalwireProfile,
  telnyx: telnyxProfile,
  plivo: plivoProfile,
}

export {
  type AsteriskCallee,
  AsteriskSimulator,
  type AsteriskSimulatorOptions,
} from './asterisk/asterisk-simulator.ts'
export type { ChannelEnd as AsteriskChannelEnd } from './asterisk/channel.ts'
export { Channel as AsteriskChannel } from './asterisk/channel.ts'
export {
  type DiscordFaults,
  DiscordSimulator,
  type DiscordStandInOptions,
} from './discord/discord-simulator.ts'
export type { PrivilegedIntent } from './discord/gateway/intents.ts'
export type { GatewayFaults, SeenGatewaySession } from './discord/gateway/session.ts'
export type { ChannelKind } from './discord/model/channel.ts'
export { TextChannel, Thread } from './discord/model/channel.ts'
export { Guild, type GuildOptions } from './discord/model/guild.ts'
export { InteractionFailed, type InteractionFailure } from './discord/model/interaction.ts'
export type { CommandValue } from './discord/model/invocation.ts'
export { Member, type MemberOptions } from './discord/model/member.ts'
export type { Embed, MessageVersion } from './discord/model/message.ts'
export { Message } from './discord/model/message.ts'
export type { Overwrite, PermissionName } from './discord/model/permissions.ts'
export { Role } from './discord/model/permissions.ts'
export { type Choice, Reply } from './discord/model/reply.ts'
export { User } from './discord/model/user.ts'
export type { VoiceState } from './discord/model/voice-channel.ts'
export { VoiceChannel, type VoiceChannelOptions } from './discord/model/voice-channel.ts'
export type { PresenceFaults } from './discord/model/voice-presence.ts'
export type { Webhook } from './discord/model/webhook.ts'
export type { SeenRequest as SeenDiscordRequest } from './discord/rest/api.ts'
export type { ApiErrorCode as DiscordErrorCode } from './discord/rest/api-error.ts'
export { DiscordRestFaults, type RestFault as DiscordRestFault } from './discord/rest/api-error.ts'
export type { PacketCounts } from './discord/voice/bot-receiver.ts'
export { trust } from './discord/voice/certificate.ts'
export type { Chance, Datagram, DatagramFaults } from './discord/voice/datagrams.ts'
export type { Transition } from './discord/voice/dave/group.ts'
export type { EncryptionMode } from './discord/voice/rtp.ts'
export { EncodedSpeech } from './discord/voice/speech.ts'
export type { ExpectedBot, Restriction, VoiceCall } from './discord/voice/voice-call.ts'
export type { GatewayStage, VoiceFaults } from './discord/voice/voice-faults.ts'
export { VoiceServer, type VoiceServerOptions } from './discord/voice/voice-server.ts'
export type { JoinOptions, SayOptions, VoiceUser } from './discord/voice/voice-user.ts'
export { FakeClock } from './fakes/fake-clock.ts'
export { FakeLeg } from './fakes/fake-leg.ts'
export { FakeConnection, FakeTranslator } from './fakes/fake-translator.ts'
export { JambonzCall, type JambonzCallEnd, type JambonzCallStatus } from './jambonz/call.ts'
export {
  type JambonzCallee,
  JambonzSimulator,
  type JambonzSimulatorOptions,
} from './jambonz/jambonz-simulator.ts'
export type { CutHow, Direction, Toxics } from './network/fault-pipe.ts'
export { type Accepting, FaultProxy, type FaultProxyOptions } from './network/fault-proxy.ts'
export {
  countFrames,
  type FrameCount,
  framesIn,
  type HeardFrame,
  numberedFrames,
} from './network/numbered-frames.ts'
export { PHONE_READINGS } from './phone/readings.ts'
export { listenPlivo } from './plivo/plivo-simulator.ts'
export { plivoProfile, signPlivo } from './plivo/profile.ts'
export {
  type Answering,
  echoes,
  Mp3Maker,
  type Mp3Rate,
  silence,
  type TextAnswering,
  type ToneOptions,
  texts,
  tone,
  toneOf,
  tones,
} from './service/scripted-answers.ts'
export { ScriptedService, type ScriptedServiceOptions } from './service/scripted-service.ts'
export type { Saying, ScriptedSession } from './service/scripted-session.ts'
export type { DropHow, Faults, ScriptedResult, ServiceShape, VoiceForm } from './service/service-shape.ts'
export { listenSignalwire, signalwireProfile } from './signalwire/signalwire-simulator.ts'
export {
  listenTelnyx,
  signTelnyx,
  type TelnyxSimulatorOptions,
  telnyxProfile,
  telnyxPublicKey,
} from './telnyx/telnyx-simulator.ts'
export {
  CallLoad,
  type CallLoadOptions,
  type CallLoadReport,
  placeCall,
  placeCalls,
  SimulatedCall,
} from './twilio/phone/call.ts'
export type { CallOptions, Quirks } from './twilio/phone/call-options.ts'
export { type FormFields, signRequest } from './twilio/phone/form-signature.ts'
export { PhoneLine } from './twilio/phone/line.ts'
export type { PhoneProfile, PhoneReader, PhoneWire } from './twilio/phone/profile.ts'
export { PHONE_RATE } from './twilio/phone/recording.ts'
export type {
  CallReport,
  Gap,
  Notice,
  NoticeCode,
  PlayoutReport,
  StreamEnd,
  StreamReport,
} from './twilio/phone/reports.ts'
export { Histogram } from './twilio/phone/reports.ts'
export type { CallEnd } from './twilio/phone/script.ts'
export type { Spoken } from './twilio/phone/voice.ts'
export { type Voice, type VoiceOptions, voiceOf } from './twilio/phone/voice.ts'
export { Account, type AccountOptions } from './twilio/rest/account.ts'
export type { CallEvent, CallStatus } from './twilio/rest/call-order.ts'
export type { CallbackFaults } from './twilio/rest/callbacks.ts'
export type { NetworkOptions } from './twilio/rest/network.ts'
export {
  type Behavior,
  type NumberSettings,
  PhoneNumber,
  Subscriber,
  type SubscriberOptions,
} from './twilio/rest/phone-number.ts'
export { RestCall } from './twilio/rest/rest-call.ts'
export type { RestErrorCode, RestFault } from './twilio/rest/rest-errors.ts'
export type { RestProfile } from './twilio/rest/rest-profile.ts'
export {
  type SeenRequest,
  TwilioSimulator,
  type TwilioSimulatorOptions,
  twilioClientFor,
} from './twilio/rest/twilio-simulator.ts'
