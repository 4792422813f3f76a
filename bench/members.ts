import { setTimeout as sleep } from 'node:timers/promises'
import type { DiscordSimulator, VoiceChannel } from '../src/simulator/index.ts'
import { SAMPLE_RATE } from '../src/transcode/pcm.ts'
import type { Callers } from './callers.ts'

/** Members of one voice channel. All but the first speak English, and the first one Spanish. */
const MEMBERS_PER_CHANNEL = 5
/** Longest time until a bot is in its channel (ms). */
const START_MS = 30_000
/** Length of what each member says in one go (ms). */
const SAID_MS = 20_000

type Guild = ReturnType<DiscordSimulator['addGuild']>
type Member = ReturnType<Guild['addMember']>

/** Members of Discord voice channels, five in each, whose channels are interpreted. */
export class Members implements Callers {
  readonly #discord: DiscordSimulator
  readonly #said: Int16Array | undefined
  readonly #members: Member[] = []
  readonly #channels: VoiceChannel[] = []
  #talking = true

  /** `said`: the speech of all members, 16 kHz, each with a different offset; undefined: silence. */
  constructor(discord: DiscordSimulator, said: Int16Array | undefined) {
    this.#discord = discord
    this.#said = said
  }

  async call(_port: number, legs: number): Promise<void> {
    for (let index = 0; index < legs; index++) {
      const first = index % MEMBERS_PER_CHANNEL === 0
      // A bot can be in one voice channel of each guild.
      if (first) this.#channels.push(await this.#open(`Guild ${this.#channels.length}`))
      const channel = this.#channels.at(-1)!
      const member = channel.guild.addMember({ name: `Member ${index}`, locale: first ? 'es-ES' : 'en-US' })
      this.#members.push(member)
      await member.join(channel)
      await member.command('interpret language', { language: first ? 'es-es' : 'en-us' })
      if (first) await member.command('interpret start')
    }
    for (const [index, member] of this.#members.entries()) void this.#talk(member, index)
  }

  /** Adds a guild with a voice channel, in which the bot has its commands. */
  async #open(name: string): Promise<VoiceChannel> {
    const channel = this.#discord.addGuild({ name }).addVoiceChannel({ name: 'Channel' })
    await this.#until(() =>
      this.#discord.requests.some(({ route, status }) => route?.includes('/commands') && status === 201),
    )
    return channel
  }

  lost(): number {
    // Without the bot in their channel, no one interprets them.
    return this.#members.filter(({ voice, guild }) => !voice || !guild.bot.voice).length
  }

  refused(): number {
    return this.#discord.requests.filter(({ status = 0 }) => status >= 400).length
  }

  async hangUp(): Promise<void> {
    this.#talking = false
    await Promise.all(this.#members.map(member => member.leave()))
  }

  async #talk(member: Member, index: number): Promise<void> {
    const said = this.#said
    if (!said) return
    const length = (SAID_MS * SAMPLE_RATE) / 1_000
    for (let from = (index * said.length) / 7; this.#talking; from += length)
      await member.say(Int16Array.from({ length }, (_, at) => said[(Math.floor(from) + at) % said.length]!))
  }

  async #until(condition: () => boolean): Promise<void> {
    for (let waited = 0; !condition(); waited += 50) {
      if (waited >= START_MS) throw new Error(`the bot did not start within ${START_MS / 1_000} s`)
      await sleep(50)
    }
  }
}
