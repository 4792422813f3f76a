import { DatagramFaults } from './datagram-faults.ts'
import type { Committer } from './dave/commit-race.ts'
import type { EncryptionMode } from './encryption.ts'

/** A moment in the life of a bot's socket: what has just come from the bot, or been sent to it. */
export type GatewayStage =
  | 'identify'
  | 'ready'
  | 'select-protocol'
  | 'session-description'
  | 'resume'
  | 'resumed'

/** What goes wrong in one call. Everything is off until set, and can be changed at any time. */
export class VoiceFaults {
  /** Audio from users to bots. */
  readonly toBot = new DatagramFaults()
  /** Audio from bots. */
  readonly fromBot = new DatagramFaults()
  /** So many requests for IP discovery get no answer. */
  withholdIpDiscovery = 0
  /** Bots are not told that somebody speaks (op 5): `true` never, or so many milliseconds late. */
  withholdSpeaking: boolean | number = false
  /** Heartbeats are not answered. */
  silentHeartbeat = false
  /** The modes offered to bots that connect from now on, in place of the server's. */
  encryption: readonly EncryptionMode[] | undefined
  /** Users' frames go in plaintext although the call runs DAVE: always, or this share of them. */
  plaintext: boolean | number = false
  /** Users' packets hold nothing but zeros in place of Opus. */
  zeroFrames = false
  /** What users' packets hold in place of their Opus, before it is encrypted: broken or strange Opus, for example. */
  rewrite: ((opus: Buffer, userId: string) => Buffer) | undefined
  /** Bots learn of a new DAVE group this much later than users do, who encrypt at once. */
  welcomeDelayMs = 0
  /** So many commits and welcomes to bots are broken: the library answers with op 31. */
  badCommits = 0
  /** Whose commit wins. By default the coin decides. */
  committer: Committer | undefined
  /** So many sequence numbers are left out before the next message to a bot, as if messages had been lost. */
  seqGaps = 0
  /** So many messages to bots are sent twice, with the same sequence number. */
  repeatMessages = 0
  /** On a resume the missed messages are sent before op 9, not after it. */
  missedFirst = false
  /** A resume is answered this much later. */
  resumeDelayMs = 0
  readonly #stops: { stage: GatewayStage; code: number | undefined }[] = []

  /** The next time that a bot's socket reaches `stage`, it is closed with `code` instead of going on. */
  closeAt(stage: GatewayStage, code: number): void {
    this.#stops.push({ stage, code })
  }

  /** The next time that a bot's socket reaches `stage`, nothing more happens there. */
  hangAt(stage: GatewayStage): void {
    this.#stops.push({ stage, code: undefined })
  }

  /** For the gateway: what to do at `stage` instead of going on. */
  takeStop(stage: GatewayStage): { readonly code: number | undefined } | undefined {
    const at = this.#stops.findIndex(stop => stop.stage === stage)
    return at < 0 ? undefined : this.#stops.splice(at, 1)[0]
  }
}
