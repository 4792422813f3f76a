import { Readable } from 'node:stream'
import {
  createAudioPlayer,
  createAudioResource,
  type DiscordGatewayAdapterLibraryMethods,
  entersState,
  joinVoiceChannel,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice'
import { opusDecoder, opusEncoder } from '../../../simulator/discord/voice/speech.ts'
import type { VoiceCall } from '../../../simulator/discord/voice/voice-call.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'

export const GUILD = '300000000000000001'
export const CHANNEL = '300000000000000002'
export const BOT = '300000000000000003'

let groups = 0

export interface RealBotOptions {
  dave?: boolean
  userId?: string
  token?: string
  sessionId?: string
  group?: string
}

/** The unmodified voice library in a call, with discord.js's gateway replaced by this class. */
export class RealBot implements Disposable {
  readonly connection: VoiceConnection
  readonly userId: string
  /** Requests to the gateway (op 4): the channel, or null to leave. */
  readonly asked: (string | null)[] = []
  readonly errors: string[] = []
  readonly states: string[] = []
  readonly debug: string[] = []
  /** Final close codes of its sockets. */
  readonly closes: number[] = []
  readonly #watched = new WeakSet<object>()
  #methods: DiscordGatewayAdapterLibraryMethods | undefined

  constructor(endpoint: () => string, { guildId, channelId }: VoiceCall, options: RealBotOptions = {}) {
    const { dave = true, userId = BOT, token = 'token', sessionId = 'session' } = options
    this.userId = userId
    this.connection = joinVoiceChannel({
      guildId,
      channelId,
      selfDeaf: false,
      selfMute: false,
      group: options.group ?? `test ${++groups}`,
      daveEncryption: dave,
      debug: true,
      adapterCreator: methods => {
        this.#methods = methods
        return {
          sendPayload: ({ d }: { d: { channel_id: string | null } }) => {
            this.asked.push(d.channel_id)
            if (d.channel_id) setImmediate(() => this.tell(endpoint(), token, sessionId))
            return true
          },
          destroy() {},
        }
      },
    })
    this.connection.on('error', error => this.errors.push(error.message))
    this.connection.on('debug', message => this.debug.push(message))
    this.connection.on('stateChange', (before, after) => {
      const networking = 'networking' in after ? after.networking : undefined
      if (networking && !this.#watched.has(networking)) {
        this.#watched.add(networking)
        networking.on('close', code => this.closes.push(code))
      }
      if (before.status !== after.status) this.states.push(after.status)
    })
  }

  /** VOICE_STATE_UPDATE and VOICE_SERVER_UPDATE. */
  tell(endpoint: string, token: string, sessionId: string): void {
    const { guildId, channelId } = this.connection.joinConfig
    this.#methods?.onVoiceStateUpdate({
      guild_id: guildId,
      channel_id: channelId,
      user_id: this.userId,
      session_id: sessionId,
      self_deaf: false,
      self_mute: false,
    } as Parameters<DiscordGatewayAdapterLibraryMethods['onVoiceStateUpdate']>[0])
    this.#methods?.onVoiceServerUpdate({ guild_id: guildId, token, endpoint })
  }

  async ready(ms = 10_000): Promise<void> {
    await entersState(this.connection, VoiceConnectionStatus.Ready, ms)
  }

  /** Records a user's speech, as 16 kHz mono, packet after packet. */
  hear(userId: string): Ear {
    return new Ear(this.connection, userId)
  }

  /** Plays `pcm` (16 kHz mono) like the library's player. */
  async play(pcm: Int16Array): Promise<void> {
    const player = createAudioPlayer({ behaviors: { maxMissedFrames: 1_000 } })
    const subscription = this.connection.subscribe(player)
    player.play(createAudioResource(Readable.from(packetsOf(pcm)), { inputType: StreamType.Opus }))
    await new Promise<void>((settle, fail) => {
      player.once('idle', () => settle())
      player.once('error', fail)
    })
    subscription?.unsubscribe()
  }

  [Symbol.dispose](): void {
    if (this.connection.state.status !== VoiceConnectionStatus.Destroyed) this.connection.destroy()
  }
}

interface Parser {
  parsePacket(datagram: Buffer, ...rest: unknown[]): Buffer | null
}

/** Output of one subscription. */
export class Ear {
  readonly packets: Buffer[] = []
  /** Of every packet that could be decrypted. */
  readonly sequences: number[] = []
  readonly timestamps: number[] = []
  /** True for those with a header extension. */
  readonly extended: boolean[] = []
  readonly ssrcs = new Set<number>()
  /** Arrival time of each of them. */
  readonly times: number[] = []
  readonly events: string[] = []
  readonly #decoder = opusDecoder()

  constructor(connection: VoiceConnection, userId: string) {
    const receiver = connection.receiver as unknown as Parser
    const parse = receiver.parsePacket.bind(receiver)
    receiver.parsePacket = (datagram, ...rest) => {
      const packet = parse(datagram, ...rest)
      if (rest.at(-1) === userId) {
        this.sequences.push(datagram.readUInt16BE(2))
        this.timestamps.push(datagram.readUInt32BE(4))
        this.extended.push((datagram[0]! & 0x10) !== 0)
        this.ssrcs.add(datagram.readUInt32BE(8))
        this.times.push(performance.now())
      }
      return packet
    }
    const stream = connection.receiver.subscribe(userId)
    stream.on('data', (packet: Buffer) => this.packets.push(packet))
    stream.on('error', error => this.events.push(`error: ${error.message}`))
    stream.on('close', () => this.events.push('close'))
  }

  /** Everything from packet `from` on, decoded. */
  pcm(from = 0): Int16Array {
    const parts = this.packets.slice(from).map(packet => this.#decoder.decode(packet) ?? new Int16Array(0))
    const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }
}

/** `pcm` (16 kHz mono) as packets of 20 ms. */
export function packetsOf(pcm: Int16Array): Buffer[] {
  const encoder = opusEncoder(1)
  const upsampler = createResampler(16_000, 48_000)
  const packets: Buffer[] = []
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    packets.push(encoder.encode(upsampler.process(pcm.subarray(at, at + 320))))
  return packets
}
