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
export type { ChannelKind } from './discord/channel.ts'
export type { CommandValue } from './discord/command/values.ts'
export type { GatewayFaults, SeenGatewaySession } from './discord/gateway/faults.ts'
export type { PrivilegedIntent } from './discord/gateway/intents.ts'
export { Guild, type GuildOptions } from './discord/guild.ts'
export { InteractionFailed, type InteractionFailure } from './discord/interaction/interaction-failed.ts'
export { type Choice, Reply } from './discord/interaction/reply.ts'
export { Member, type MemberOptions } from './discord/member.ts'
export { Message } from './discord/message/message.ts'
export type { Embed, MessageVersion } from './discord/message/message-version.ts'
export type { Overwrite, PermissionName } from './discord/permissions.ts'
export type { ApiErrorCode as DiscordErrorCode } from './discord/rest/api-error.ts'
export { DiscordRestFaults, type RestFault as DiscordRestFault } from './discord/rest/faults.ts'
export type { SeenRequest as SeenDiscordRequest } from './discord/rest/seen-request.ts'
export { Role } from './discord/role.ts'
export { type DiscordFaults, DiscordStandIn, type DiscordStandInOptions } from './discord/stand-in.ts'
export { TextChannel } from './discord/text-channel.ts'
export { Thread } from './discord/thread.ts'
export { User } from './discord/user.ts'
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
export { VoiceChannel, type VoiceChannelOptions } from './discord/voice-channel.ts'
export type { PresenceFaults } from './discord/voice-presence.ts'
export type { VoiceState } from './discord/voice-state.ts'
export type { Webhook } from './discord/webhook.ts'
export { type EchoOptions, echoes } from './echo-answers.ts'
export { FakeClock } from './fake-clock.ts'
export { FakeLeg } from './fake-leg.ts'
export { FakeConnection, FakeTranslator } from './fake-translator.ts'
export { type Accepting, FaultProxy, type FaultProxyOptions } from './faults/fault-proxy.ts'
export { countFrames, type FrameCount, framesIn, type HeardFrame } from './faults/frame-count.ts'
export { FRAME_NUMBERS, frameNumberAt, numberedFrame, numberedFrames } from './faults/numbered-frames.ts'
export type { CutHow, Direction, Toxics } from './faults/toxics.ts'
export { type LagPlotOptions, type LagPoint, type LagSeries, lagPlot } from './lag-plot.ts'
export { placeCall, SimulatedCall } from './phone/call.ts'
export type { CallOptions } from './phone/call-options.ts'
export type { CallReport } from './phone/call-report.ts'
export { Crowd, type CrowdOptions, type CrowdReport, placeCalls } from './phone/crowd.ts'
export { Histogram } from './phone/histogram.ts'
export { LINE_PERIOD_MS, PhoneLine } from './phone/line.ts'
export type { Spoken } from './phone/mouth.ts'
export type { Notice, NoticeCode } from './phone/notice.ts'
export { PlayQueue, type PlayQueueOptions } from './phone/play-queue.ts'
export type { Gap, PlayoutReport } from './phone/playout-report.ts'
export type { Quirks } from './phone/quirks.ts'
export { PHONE_RATE } from './phone/recording.ts'
export type { CallEnd } from './phone/script.ts'
export { type FormFields, signRequest } from './phone/signature.ts'
export type { StreamEnd, StreamReport } from './phone/stream-report.ts'
export { type Voice, type VoiceOptions, voiceFrom, voiceOf } from './phone/voice.ts'
export { Account, type AccountOptions } from './rest/account.ts'
export type { CallEvent } from './rest/call-order.ts'
export type { CallStatus } from './rest/call-state.ts'
export type { CallbackFaults, SeenCallback } from './rest/callbacks.ts'
export { type StandInAddress, twilioClientFor } from './rest/client.ts'
export type { NetworkOptions } from './rest/network.ts'
export { type NumberSettings, PhoneNumber } from './rest/phone-number.ts'
export { RestCall } from './rest/rest-call.ts'
export { REST_ERROR_CODES, RestError, type RestErrorCode } from './rest/rest-error.ts'
export { type RestFault, RestFaults } from './rest/rest-faults.ts'
export { type SeenRequest, TwilioStandIn, type TwilioStandInOptions } from './rest/stand-in.ts'
export { type Behaviour, Subscriber, type SubscriberOptions } from './rest/subscriber.ts'
export {
  type Answering,
  type CannedOptions,
  canned,
  silence,
  type TextAnswering,
  type ToneOptions,
  texts,
  tones,
} from './scripted-answers.ts'
export type { DropHow, Faults, ScriptedResult } from './scripted-faults.ts'
export { ScriptedService, type ScriptedServiceOptions } from './scripted-service.ts'
export type { ScriptedSession } from './scripted-session.ts'
export type { Saying, SessionEvent } from './scripted-setup.ts'
export type { ServiceShape, VoiceForm } from './service-shape.ts'
export { Mp3Maker, type Mp3Rate, tone, toneOf } from './tone-mp3.ts'
