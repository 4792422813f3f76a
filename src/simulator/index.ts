/**
 * Simulators of phones, Twilio, Discord and the translation service, usable without an account. Public entry
 * `dragoman/simulator`.
 */

export {
  type ConversationOptions,
  type ConversationReport,
  converse,
  type Told,
} from './conversation/conversation.ts'
export { type ScheduleOptions, type Sentence, schedule } from './conversation/schedule.ts'
export {
  type DiscordFaults,
  DiscordStandIn,
  type DiscordStandInOptions,
} from './discord/discord-simulator.ts'
export type { GatewayFaults, SeenGatewaySession } from './discord/gateway/faults.ts'
export type { PrivilegedIntent } from './discord/gateway/intents.ts'
export type { ChannelKind } from './discord/model/channel.ts'
export { Guild, type GuildOptions } from './discord/model/guild.ts'
export { InteractionFailed, type InteractionFailure } from './discord/model/interaction-failed.ts'
export { Member, type MemberOptions } from './discord/model/member.ts'
export { Message } from './discord/model/message.ts'
export type { Embed, MessageVersion } from './discord/model/message-version.ts'
export type { Overwrite, PermissionName } from './discord/model/permissions.ts'
export { type Choice, Reply } from './discord/model/reply.ts'
export { Role } from './discord/model/role.ts'
export { TextChannel } from './discord/model/text-channel.ts'
export { Thread } from './discord/model/thread.ts'
export { User } from './discord/model/user.ts'
export type { CommandValue } from './discord/model/values.ts'
export { VoiceChannel, type VoiceChannelOptions } from './discord/model/voice-channel.ts'
export type { PresenceFaults } from './discord/model/voice-presence.ts'
export type { VoiceState } from './discord/model/voice-state.ts'
export type { Webhook } from './discord/model/webhook.ts'
export type { ApiErrorCode as DiscordErrorCode } from './discord/rest/api-error.ts'
export { DiscordRestFaults, type RestFault as DiscordRestFault } from './discord/rest/faults.ts'
export type { SeenRequest as SeenDiscordRequest } from './discord/rest/seen-request.ts'
export type { Chance, Datagram, DatagramFaults } from './discord/voice/datagram-faults.ts'
export type { Transition } from './discord/voice/dave/transition.ts'
export { EncodedSpeech } from './discord/voice/encoded-speech.ts'
export type { EncryptionMode } from './discord/voice/encryption.ts'
export type { PacketCounts } from './discord/voice/packet-counts.ts'
export { trust } from './discord/voice/trust.ts'
export type { ExpectedBot, Restriction, VoiceCall } from './discord/voice/voice-call.ts'
export type { GatewayStage, VoiceFaults } from './discord/voice/voice-faults.ts'
export { VoiceServer, type VoiceServerOptions } from './discord/voice/voice-server.ts'
export type { JoinOptions, SayOptions, VoiceUser } from './discord/voice/voice-user.ts'
export { FakeClock } from './fakes/fake-clock.ts'
export { FakeLeg } from './fakes/fake-leg.ts'
export { FakeConnection, FakeTranslator } from './fakes/fake-translator.ts'
export { type LagPlotOptions, type LagPoint, type LagSeries, lagPlot } from './lag-plot.ts'
export { type Accepting, FaultProxy, type FaultProxyOptions } from './network/fault-proxy.ts'
export { countFrames, type FrameCount, framesIn, type HeardFrame } from './network/frame-count.ts'
export { FRAME_NUMBERS, frameNumberAt, numberedFrame, numberedFrames } from './network/numbered-frames.ts'
export type { CutHow, Direction, Toxics } from './network/toxics.ts'
export { type EchoOptions, echoes } from './service/echo-answers.ts'
export {
  type Answering,
  type CannedOptions,
  canned,
  silence,
  type TextAnswering,
  type ToneOptions,
  texts,
  tones,
} from './service/scripted-answers.ts'
export type { DropHow, Faults, ScriptedResult } from './service/scripted-faults.ts'
export { ScriptedService, type ScriptedServiceOptions } from './service/scripted-service.ts'
export type { ScriptedSession } from './service/scripted-session.ts'
export type { Saying, SessionEvent } from './service/scripted-setup.ts'
export type { ServiceShape, VoiceForm } from './service/service-shape.ts'
export { Mp3Maker, type Mp3Rate, tone, toneOf } from './service/tone-mp3.ts'
export { placeCall, SimulatedCall } from './twilio/phone/call.ts'
export type { CallOptions } from './twilio/phone/call-options.ts'
export type { CallReport } from './twilio/phone/call-report.ts'
export { Crowd, type CrowdOptions, type CrowdReport, placeCalls } from './twilio/phone/crowd.ts'
export { Histogram } from './twilio/phone/histogram.ts'
export { LINE_PERIOD_MS, PhoneLine } from './twilio/phone/line.ts'
export type { Spoken } from './twilio/phone/mouth.ts'
export type { Notice, NoticeCode } from './twilio/phone/notice.ts'
export { PlayQueue, type PlayQueueOptions } from './twilio/phone/play-queue.ts'
export type { Gap, PlayoutReport } from './twilio/phone/playout-report.ts'
export type { Quirks } from './twilio/phone/quirks.ts'
export { PHONE_RATE } from './twilio/phone/recording.ts'
export type { CallEnd } from './twilio/phone/script.ts'
export { type FormFields, signRequest } from './twilio/phone/signature.ts'
export type { StreamEnd, StreamReport } from './twilio/phone/stream-report.ts'
export { type Voice, type VoiceOptions, voiceFrom, voiceOf } from './twilio/phone/voice.ts'
export { Account, type AccountOptions } from './twilio/rest/account.ts'
export type { CallEvent } from './twilio/rest/call-order.ts'
export type { CallStatus } from './twilio/rest/call-state.ts'
export type { CallbackFaults, SeenCallback } from './twilio/rest/callbacks.ts'
export { type StandInAddress, twilioClientFor } from './twilio/rest/client.ts'
export type { NetworkOptions } from './twilio/rest/network.ts'
export { type NumberSettings, PhoneNumber } from './twilio/rest/phone-number.ts'
export { RestCall } from './twilio/rest/rest-call.ts'
export { REST_ERROR_CODES, RestError, type RestErrorCode } from './twilio/rest/rest-error.ts'
export { type RestFault, RestFaults } from './twilio/rest/rest-faults.ts'
export { type SeenRequest, TwilioStandIn, type TwilioStandInOptions } from './twilio/rest/stand-in.ts'
export { type Behaviour, Subscriber, type SubscriberOptions } from './twilio/rest/subscriber.ts'
