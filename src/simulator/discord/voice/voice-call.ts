import type { PacketCounts } from './packet-counts.ts'
import type { VoiceFaults } from './voice-faults.ts'
import type { VoiceUser } from './voice-user.ts'

/** Whom the voice server lets in: what VOICE_STATE_UPDATE and VOICE_SERVER_UPDATE told the bot. */
export interface ExpectedBot {
  readonly userId: string
  readonly sessionId: string
  readonly token: string
}

/** One voice channel on the voice server. */
export interface VoiceCall {
  readonly guildId: string
  readonly channelId: string
  readonly faults: VoiceFaults
  readonly users: readonly VoiceUser[]
  /** The DAVE version that the call runs now; 0 is transport encryption only. */
  readonly daveVersion: 0 | 1
  /** From now on an Identify with exactly this is right; replaces what was expected of this user before. */
  expect(bot: ExpectedBot): void
  /** The bot left, was moved or kicked: its connection is closed with `code` (default 4014), and nothing is expected. */
  forget(userId: string, code?: number): void
  /** True while the bot has a session in this call, from Session Description on. */
  connected(botUserId: string): boolean
  /** A scripted user enters. */
  addUser(userId: string): VoiceUser
  /** What the bot sent, 16 kHz mono, from the opening of the call until now; silence where nothing came. */
  heard(botUserId: string): Int16Array
  packetsFrom(botUserId: string): PacketCounts
  /** DAVE from now on. Settles when everybody has changed over. */
  upgrade(): Promise<void>
  /** Transport encryption only from now on. Settles when everybody has changed over. */
  downgrade(): Promise<void>
  /** Settles when no DAVE transition is under way. */
  settled(): Promise<void>
}
