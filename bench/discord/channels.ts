/** Constants of the channels shared by both processes: ids and credentials. */

export const BOT = '300000000000000003'

export interface BenchChannel {
  readonly guildId: string
  readonly channelId: string
  readonly sessionId: string
  readonly token: string
  readonly users: readonly string[]
}

/** `speakers` users spread evenly over `channels` voice channels, each in a separate guild. */
export function benchChannels(channels: number, speakers: number): BenchChannel[] {
  return Array.from({ length: channels }, (_, nth) => ({
    guildId: `31000000000000${String(nth).padStart(4, '0')}`,
    channelId: `32000000000000${String(nth).padStart(4, '0')}`,
    sessionId: `session-${nth}`,
    token: `token-${nth}`,
    users: Array.from({ length: speakers }, (_, user) => user)
      .filter(user => user % channels === nth)
      .map(user => `33000000000000${String(user).padStart(4, '0')}`),
  }))
}

/** From the load: bots can connect. */
export interface Open {
  kind: 'open'
  endpoint: string
  certificate: string
}

/** From the subject: all links are ready and encrypted; everyone can talk. */
export interface Joined {
  kind: 'joined'
}

/** To the load: everyone talks for this long. */
export interface Talk {
  kind: 'talk'
  ms: number
}

/** To the subject: start a new count. */
export interface Count {
  kind: 'count'
}

/** From the subject: the counts since the `Count` before. */
export interface Counted {
  kind: 'counted'
  ms: number
  /** 20 ms frames delivered by speakers' legs. */
  framesIn: number
  packetsIn: number
  packetsOut: number
  /** Lateness of a slot of a channel's stream. */
  lateMs: { p50: number; p99: number; max: number }
  slotsMissed: number
  starved: number
  lost: number
  undecryptable: number
}

/** From the load, in response to `Report`: what it received from the bots. */
export interface Report {
  kind: 'report'
}

export interface Reported {
  kind: 'reported'
  packets: number
  gaps: number
  broken: number
}
