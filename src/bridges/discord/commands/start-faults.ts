import { PermissionFlagsBits } from 'discord.js'
import type { ReplyTexts } from '../../../messages/en/discord.ts'
import { type CommandContext, managesChannels, type Place } from './command-context.ts'
import type { Purpose, UsedPermission } from './permissions.ts'
import { missingFrom, neededFor } from './permissions.ts'
import { mention } from './reply.ts'

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
  const isThere = context.asker.voiceChannelId === channelId
  if (
    !isThere &&
    (voice.askersOwn & REACH) !== REACH &&
    !(voice.askersOwn & PermissionFlagsBits.Administrator)
  )
    return [{ kind: 'not-allowed', channelId }]
  if (!isThere && !managesChannels(context, channelId)) return [{ kind: 'be-there', channelId }]
  if (voice.afk) return [{ kind: 'rest', channelId }]
  const faults: StartFault[] = []
  if (context.botTimedOut) faults.push({ kind: 'timed-out' })
  const audio: Purpose[] = captionsOnly ? ['listen'] : ['listen', voice.kind === 'stage' ? 'stage' : 'speak']
  for (const [place, purposes] of placesOf(voice, audio, text)) {
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
export function faultText(faults: readonly StartFault[], words: ReplyTexts, botRole: string): string {
  const lines = faults.map(fault => lineOf(fault, words))
  const fix = faults.some(({ kind }) => kind === 'missing') ? [words.giveThem(botRole)] : []
  return [...lines, ...fix].join('\n')
}

function lineOf(fault: StartFault, words: ReplyTexts): string {
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

/** Permissions that a user needs to join a channel. */
const REACH = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect

/** Each channel once, with all its purposes. */
function placesOf(
  voice: Place,
  audio: readonly Purpose[],
  text: Place | undefined,
): (readonly [Place, readonly Purpose[]])[] {
  if (!text || text.id === voice.id) return [[voice, [...audio, 'write']]]
  return [
    [voice, audio],
    [text, ['write']],
  ]
}
