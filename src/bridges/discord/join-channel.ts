import { ChannelType, type Client, PermissionFlagsBits, type VoiceBasedChannel } from 'discord.js'
import { BridgeError } from '../../common/errors.ts'
import type { Purpose } from './commands/permissions.ts'
import { missingFrom, neededFor } from './commands/permissions.ts'
import type {
  CaptionSettings,
  ChannelInterpreter,
  Interpreters,
  OutputLanguages,
  StartFailure,
} from './contract.ts'
import { CAPTION_DEFAULTS } from './options.ts'
import type { VoiceRegister } from './voice-register.ts'

/** Options of a program for the interpretation of a channel. */
export interface JoinOptions {
  /** Languages played in the channel. Default `auto`: the languages of the people in it. */
  readonly output?: OutputLanguages
  /** Default: embeds in the channel's own chat. */
  readonly captions?: Partial<CaptionSettings>
  /** ID of the text channel for notices and captions. Default: the chat of the voice channel. */
  readonly textChannelId?: string
  /** False: captions only. Default: true. */
  readonly voice?: boolean
}

/**
 * Starts interpreting `channel`. Rejects with `BridgeError`: `STATE` while the client is not logged in, if another channel
 * of the guild is interpreted, or if another part of the program has the bot's voice connection there; `CAPACITY` if no more channels are allowed; `JOIN_FAILED` if Discord refuses.
 */
export async function joinChannel(
  client: Client,
  { interpreters, register }: { readonly interpreters: Interpreters; readonly register: VoiceRegister },
  channel: VoiceBasedChannel,
  { output = 'auto', captions, textChannelId = channel.id, voice = true }: JoinOptions = {},
): Promise<ChannelInterpreter> {
  if (!client.isReady())
    throw new BridgeError('STATE', 'the client is not logged in: wait for its event clientReady')
  if (typeof channel?.isVoiceBased !== 'function' || !channel.isVoiceBased())
    throw new RangeError(`join() needs a voice or stage channel, got ${kindOf(channel)}`)
  if (channel.client !== client)
    throw new RangeError('join() needs a channel of the attached client, got one of another client')
  await register.load(channel.guild)
  assertPermitted(register, channel, textChannelId, voice)
  const started = await interpreters.start({
    guildId: channel.guildId,
    channelId: channel.id,
    textChannelId,
    startedBy: client.user.id,
    output,
    captions: { ...CAPTION_DEFAULTS, ...captions },
    voice,
  })
  if ('kind' in started) throw failure(started)
  return started
}

const MOVES = PermissionFlagsBits.MoveMembers | PermissionFlagsBits.Administrator

function assertPermitted(
  register: VoiceRegister,
  channel: VoiceBasedChannel,
  textChannelId: string,
  voice: boolean,
): void {
  const { guild } = channel
  const text = guild.channels.cache.get(textChannelId)
  if (!text) throw new BridgeError('JOIN_FAILED', `the guild has no channel ${textChannelId}`)
  const [granted, write] = [register.permissionsIn(channel), register.permissionsIn(text)]
  if (granted === undefined) return
  const audio: Purpose[] = voice
    ? ['listen', channel.type === ChannelType.GuildStageVoice ? 'stage' : 'speak']
    : ['listen']
  const missing = [
    [channel, missingFrom(granted, neededFor(audio))],
    [text, missingFrom(write ?? 0n, neededFor(['write']))],
  ] as const
  const lines = missing
    .filter(([, names]) => names.length > 0)
    .map(([{ id }, names]) => `${names.join(', ')} in channel ${id}`)
  if (lines.length > 0) throw new BridgeError('JOIN_FAILED', `the bot lacks permissions: ${lines.join('; ')}`)
  const { userLimit } = channel
  const occupants = register.in(guild.id, channel.id).length
  if (userLimit > 0 && occupants >= userLimit && !(granted & MOVES))
    throw new BridgeError('JOIN_FAILED', `the channel is full: ${userLimit} members`, { retryable: true })
}

function failure(end: StartFailure): BridgeError {
  switch (end.kind) {
    case 'already':
      return new BridgeError('STATE', `channel ${end.channelId} of the same guild is being interpreted`)
    case 'taken':
      return new BridgeError('STATE', takenText(end.channelId))
    case 'full':
      return new BridgeError(
        'CAPACITY',
        'the maximum number of channels is interpreted (channels.maxChannels)',
      )
    case 'refused':
      return new BridgeError('JOIN_FAILED', `Discord refuses: ${end.code}`)
    case 'unreachable':
      return new BridgeError(
        'JOIN_FAILED',
        `the voice server cannot be reached after ${end.attempts} attempts`,
        {
          retryable: true,
        },
      )
    case 'parent-closed':
      return new BridgeError('STATE', 'the interpreter is closed')
    default:
      return new BridgeError('JOIN_FAILED', `interpreting ended before it started: ${end.kind}`, {
        retryable: true,
      })
  }
}

function takenText(channelId: string | undefined): string {
  const where = channelId === undefined ? '' : `: it is in channel ${channelId}`
  return `another part of the program has the bot's voice connection in this guild${where}. A bot can be in one voice channel of a guild; end that connection first`
}

function kindOf(value: unknown): string {
  return value === null || typeof value !== 'object'
    ? String(value)
    : `an object of ${value.constructor?.name ?? 'no class'}`
}
