import { PermissionFlagsBits } from 'discord.js'
import type { AnswerWords, Purpose, UsedPermission } from '../../../messages/discord/types.ts'
import type { CaptionSettings, ChannelInterpreter, StartFailure } from '../channel-interpreter.ts'
import type { Command } from './command.ts'
import { type CommandContext, type CommandServices, managesChannels, type Place } from './command-context.ts'
import { missingFrom, neededFor } from './permissions.ts'
import type { Answer } from './reply.ts'

/** Destination and style of captions, as far as possible. */
export interface CaptionsPlan {
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
  wanted: CaptionSettings,
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
  const thread = wanted.thread && canThread && may(typed, ['write', 'thread'])
  const text = thread ? typed : voice
  const { style } = wanted
  const plain = (style === 'embed' || style === 'webhook') && !may(text, [style])
  return {
    text,
    captions: { style: plain ? 'plain' : wanted.style, thread },
    noThread: wanted.thread && !canThread,
    lacks,
  }
}

/** Reasons for which interpreting cannot start, found before the bot joins. */
export type StartFault =
  | { readonly kind: 'join-first' | 'timed-out' }
  | { readonly kind: 'no-voice' | 'not-allowed' | 'be-there' | 'rest'; readonly channelId: string }
  | { readonly kind: 'full'; readonly channelId: string; readonly limit: number }
  | { readonly kind: 'missing'; readonly channelId: string; readonly permissions: readonly UsedPermission[] }

/** The voice and text channels of a start. */
export interface StartPlan {
  readonly voice: Place | undefined
  readonly text: Place | undefined
  /** Without spoken output. */
  readonly captionsOnly: boolean
}

/** Returns all problems, so that they can be fixed together. Empty: the start is possible. */
export function startFaults(context: CommandContext, { voice, text, captionsOnly }: StartPlan): StartFault[] {
  if (!voice) return [{ kind: 'join-first' }]
  const channelId = voice.id
  if (voice.kind !== 'voice' && voice.kind !== 'stage') return [{ kind: 'no-voice', channelId }]
  const there = context.asker.voiceChannelId === channelId
  if (!there && (voice.askersOwn & REACH) !== REACH && !(voice.askersOwn & PermissionFlagsBits.Administrator))
    return [{ kind: 'not-allowed', channelId }]
  if (!there && !managesChannels(context, channelId)) return [{ kind: 'be-there', channelId }]
  if (voice.afk) return [{ kind: 'rest', channelId }]
  const faults: StartFault[] = []
  if (context.botTimedOut) faults.push({ kind: 'timed-out' })
  const heard: Purpose[] = captionsOnly ? ['listen'] : ['listen', voice.kind === 'stage' ? 'stage' : 'speak']
  for (const [place, purposes] of placesOf(voice, heard, text)) {
    const permissions = missingFrom(place.granted, neededFor(purposes))
    if (permissions.length > 0) faults.push({ kind: 'missing', channelId: place.id, permissions })
  }
  const mayMove =
    (voice.granted & (PermissionFlagsBits.MoveMembers | PermissionFlagsBits.Administrator)) !== 0n
  if (voice.userLimit > 0 && voice.memberIds.length >= voice.userLimit && !mayMove)
    faults.push({ kind: 'full', channelId, limit: voice.userLimit })
  return faults
}

/** Describes the problems, each with its fix. */
export function faultText(faults: readonly StartFault[], words: AnswerWords, botRole: string): string {
  const lines = faults.map(fault => lineOf(fault, words))
  const fix = faults.some(({ kind }) => kind === 'missing') ? [words.giveThem(botRole)] : []
  return [...lines, ...fix].join('\n')
}

function lineOf(fault: StartFault, words: AnswerWords): string {
  switch (fault.kind) {
    case 'join-first':
      return words.joinFirst
    case 'timed-out':
      return words.timedOut
    case 'no-voice':
      return words.noVoiceChannel(mention(fault.channelId))
    case 'not-allowed':
      return words.notAllowedThere(mention(fault.channelId))
    case 'be-there':
      return words.beThere(mention(fault.channelId))
    case 'rest':
      return words.restChannel(mention(fault.channelId))
    case 'full':
      return words.channelFull(mention(fault.channelId), fault.limit)
    case 'missing': {
      const names = fault.permissions.map(name => `- **${words.permissions[name]}**`)
      return words.missing(mention(fault.channelId), names.join('\n'))
    }
  }
}

/** A channel mention; it alerts no one. */
export function mention(channelId: string): string {
  return `<#${channelId}>`
}

/** Permissions that a user needs to join a channel. */
const REACH = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect

/** Each channel once, with all its purposes. */
function placesOf(
  voice: Place,
  heard: readonly Purpose[],
  text: Place | undefined,
): (readonly [Place, readonly Purpose[]])[] {
  if (!text || text.id === voice.id) return [[voice, [...heard, 'write']]]
  return [
    [voice, heard],
    [text, ['write']],
  ]
}

/** Starts interpreting a channel after checking its requirements. */
export async function start(
  command: Extract<Command, { kind: 'start' }>,
  context: CommandContext,
  { interpreters, settings, roomCodeLimiter, starters }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const { asker, guildId } = context
  const channelId = command.channelId ?? asker.voiceChannelId
  const running = interpreters.of(guildId)
  if (running) return { text: runningText(running.channelId, channelId, words) }

  const voice = channelId === undefined ? undefined : context.place(channelId)
  const typed = context.place(context.channelId)
  const { text, captions, noThread, lacks } = captionsPlan(settings.captions, typed, voice)
  const faults = startFaults(context, { voice, text, captionsOnly: command.captionsOnly })
  if (!voice || !text || faults.length > 0) return { text: faultText(faults, words, context.botRole) }
  const guess = command.roomCode === undefined ? undefined : roomCodeLimiter.begin(asker.id)
  if (command.roomCode !== undefined && !guess) return { text: words.tooManyCodes }

  const started = await interpreters
    .start({
      guildId,
      channelId: voice.id,
      textChannelId: text.id,
      startedBy: asker.id,
      output: settings.output,
      captions,
      voice: !command.captionsOnly,
      roomCode: command.roomCode,
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
  const lines = [command.captionsOnly ? words.startedCaptionsOnly(...places) : words.started(...places)]
  if (noThread) lines.push(words.noThreadHere)
  if (lacks.length > 0) lines.push(`${faultText(lacks, words, context.botRole)} ${words.withoutThem}`)
  return { text: lines.join('\n') }
}

function runningText(running: string, wanted: string | undefined, words: AnswerWords): string {
  return running === wanted ? words.runningHere : words.runningElsewhere(mention(running))
}

function isInterpreter(started: ChannelInterpreter | StartFailure): started is ChannelInterpreter {
  return 'status' in started
}

/** Explains to the asking user why the start failed. */
export function failureText(failure: StartFailure, channelId: string, words: AnswerWords): string {
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
