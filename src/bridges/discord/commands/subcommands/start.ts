import { ApplicationCommandOptionType, ChannelType } from 'discord.js'
import { asciiDigits } from '../../../../common/digits.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import type { CaptionSettings, ChannelInterpreter, StartFailure } from '../../contract.ts'
import type { CommandContext, CommandServices, Place } from '../command-context.ts'
import type { Purpose } from '../permissions.ts'
import { missingFrom, neededFor } from '../permissions.ts'
import { type Answer, mention } from '../reply.ts'
import { faultText, type StartFault, startFaults } from '../start-faults.ts'
import { flagOption, type Subcommand, subcommand, worded } from '../subcommand.ts'

/** `/interpret start`. */
export const start: Subcommand = {
  definition: subcommand('start', words => words.start, [
    {
      type: ApplicationCommandOptionType.Channel,
      ...worded('channel', words => words.options.channel),
      channel_types: [ChannelType.GuildVoice, ChannelType.GuildStageVoice],
    },
    flagOption('captions-only', words => words.options.captionsOnly),
    {
      type: ApplicationCommandOptionType.String,
      ...worded('room-code', words => words.options.roomCode),
      min_length: 6,
      max_length: 12,
    },
  ]),
  parse(options) {
    const roomCode = options.text('room-code')
    const request = {
      channelId: options.id('channel'),
      captionsOnly: options.flag('captions-only') ?? false,
      roomCode: roomCode && asciiDigits(roomCode),
    }
    return {
      slow: true,
      run: (context, services, words) => startInterpreting(request, context, services, words),
    }
  },
}

interface ChannelRequest {
  /** Absent: the channel that the user is in. */
  readonly channelId: string | undefined
  readonly captionsOnly: boolean
  readonly roomCode: string | undefined
}

/** Destination and style of captions, as far as possible. */
interface CaptionsPlan {
  readonly text: Place | undefined
  readonly captions: CaptionSettings
  /** A thread was requested, but that chat does not support one. */
  readonly noThread: boolean
  /** Permissions that captions would need as requested; they work without. */
  readonly lacks: readonly StartFault[]
}

/**
 * Plans captions as requested: in the chat of the voice channel, or in a thread of the text channel where the command
 * was typed. Only pure text channels support threads (Discord: Text Channels in Voice).
 */
function captionsPlan(
  requested: CaptionSettings,
  typed: Place | undefined,
  voice: Place | undefined,
): CaptionsPlan {
  const lacks: StartFault[] = []
  const may = (place: Place | undefined, purposes: readonly Purpose[]): place is Place => {
    if (!place) return false
    const permissions = missingFrom(place.granted, neededFor(purposes))
    if (permissions.length > 0) lacks.push({ kind: 'missing', channelId: place.id, permissions })
    return permissions.length === 0
  }
  const canThread = typed?.kind === 'text'
  const thread = requested.thread && canThread && may(typed, ['write', 'thread'])
  const text = thread ? typed : voice
  const { style } = requested
  const plain = (style === 'embed' || style === 'webhook') && !may(text, [style])
  return {
    text,
    captions: { style: plain ? 'plain' : requested.style, thread },
    noThread: requested.thread && !canThread,
    lacks,
  }
}

/** Starts interpreting a channel after checking its requirements. */
async function startInterpreting(
  request: ChannelRequest,
  context: CommandContext,
  { interpreters, settings, roomCodeLimiter, starters }: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const { asker, guildId } = context
  const channelId = request.channelId ?? asker.voiceChannelId
  const running = interpreters.of(guildId)
  if (running) return { text: runningText(running.channelId, channelId, words) }

  const voice = channelId === undefined ? undefined : context.place(channelId)
  const typed = context.place(context.channelId)
  const { text, captions, noThread, lacks } = captionsPlan(settings.captions, typed, voice)
  const faults = startFaults(context, { voice, text, captionsOnly: request.captionsOnly })
  if (!voice || !text || faults.length > 0) return { text: faultText(faults, words, context.botRole) }
  const guess = request.roomCode === undefined ? undefined : roomCodeLimiter.begin(asker.id)
  if (request.roomCode !== undefined && !guess) return { text: words.tooManyCodes }

  const started = await interpreters
    .start({
      guildId,
      channelId: voice.id,
      textChannelId: text.id,
      startedBy: asker.id,
      output: settings.output,
      captions,
      voice: !request.captionsOnly,
      roomCode: request.roomCode,
    })
    .catch((error: unknown) => {
      guess?.right()
      throw error
    })
  if (!isInterpreter(started) && started.kind === 'wrong-code') guess?.wrong()
  else guess?.right()
  if (!isInterpreter(started)) {
    return { text: failureText(started, voice.id, words) }
  }
  starters.set(started, asker.id)
  const places = [mention(voice.id), mention(started.status().textChannelId)] as const
  const lines = [request.captionsOnly ? words.startedCaptionsOnly(...places) : words.started(...places)]
  if (noThread) lines.push(words.noThreadHere)
  if (lacks.length > 0) lines.push(`${faultText(lacks, words, context.botRole)} ${words.withoutThem}`)
  return { text: lines.join('\n') }
}

function runningText(running: string, wanted: string | undefined, words: ReplyTexts): string {
  return running === wanted ? words.runningHere : words.runningElsewhere(mention(running))
}

function isInterpreter(started: ChannelInterpreter | StartFailure): started is ChannelInterpreter {
  return 'status' in started
}

/** Explains to the asking user why the start failed. */
export function failureText(failure: StartFailure, channelId: string, words: ReplyTexts): string {
  const { ends } = words
  switch (failure.kind) {
    case 'already':
      return runningText(failure.channelId, channelId, words)
    case 'wrong-code':
      return words.wrongCode
    case 'full':
      return words.noCapacity
    case 'kicked':
      return ends.kicked
    case 'taken':
      return failure.channelId === undefined ? ends.takenSomewhere : ends.taken(mention(failure.channelId))
    case 'unreachable':
      return ends.unreachable(failure.attempts)
    case 'parent-closed':
      return ends.closing
    case 'stopped':
    case 'empty':
      return ends.other
    case 'refused':
      switch (failure.code) {
        case 'permissions':
          return ends.permissions
        case 'channel-gone':
        case 'guild-gone':
          return ends.channelGone
        case 'encryption':
          return ends.encryption
        default:
          return ends.refused(failure.code)
      }
  }
}
