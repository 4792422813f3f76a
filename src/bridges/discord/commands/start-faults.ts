import { PermissionFlagsBits } from 'discord.js'
import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import { missingFrom, neededFor, type Purpose, type UsedPermission } from './permissions.ts'
import { managesChannels } from './rights.ts'
import type { Place, Scene } from './scene.ts'

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
export function startFaults(scene: Scene, { voice, text, captionsOnly }: StartPlan): StartFault[] {
  if (!voice) return [{ kind: 'join-first' }]
  const channelId = voice.id
  if (voice.kind !== 'voice' && voice.kind !== 'stage') return [{ kind: 'no-voice', channelId }]
  const there = scene.asker.voiceChannelId === channelId
  if (!there && (voice.askersOwn & REACH) !== REACH && !(voice.askersOwn & PermissionFlagsBits.Administrator))
    return [{ kind: 'not-allowed', channelId }]
  if (!there && !managesChannels(scene, channelId)) return [{ kind: 'be-there', channelId }]
  if (voice.away) return [{ kind: 'rest', channelId }]
  const faults: StartFault[] = []
  if (scene.botTimedOut) faults.push({ kind: 'timed-out' })
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
  const mend = faults.some(({ kind }) => kind === 'missing') ? [words.giveThem(botRole)] : []
  return [...lines, ...mend].join('\n')
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
