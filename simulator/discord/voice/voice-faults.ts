import { DatagramFaults } from './datagrams.ts'
import type { Committer } from './dave/commit-race.ts'
import type { EncryptionMode } from './rtp.ts'

/** A moment in the life of a bot's socket: the message that was just received from the bot, or sent to it. */
export type GatewayStage =
  | 'identify'
  | 'ready'
  | 'select-protocol'
  | 'session-description'
  | 'resume'
  | 'resumed'

/** Faults of one call. Everything is off until set, and can be changed at any time. */
export class VoiceFaults {
  /** Audio from users to bots. */
  readonly toBot = new DatagramFaults()
  /** Audio from bots. */
  readonly fromBot = new DatagramFaults()
  /** This many requests for IP discovery get no response. */
  withholdIpDiscovery = 0
  /** Withholds op 5 (Speaking) from bots: `true` always, or for this many milliseconds. */
  withholdSpeaking: boolean | number = false
  /** Heartbeats are not answered. */
  silentHeartbeat = false
  /** The modes offered to bots that connect from now on, instead of the server's. */
  encryption: readonly EncryptionMode[] | undefined
  /** Users' frames are in plaintext although the call runs DAVE: always, or this share of them. */
  plaintext: boolean | number = false
  /** Users' packets contain only zeros instead of Opus. */
  zeroFrames = false
  /** Bots receive a new DAVE group this much later than users, who encrypt at once. */
  welcomeDelayMs = 0
  /** This many commits and welcomes to bots are broken: the library answers with op 31. */
  badCommits = 0
  /** The member whose commit wins. Random by default. */
  committer: Committer | undefined
  /** This many sequence numbers are skipped before the next message to a bot, as if messages had been lost. */
  seqGaps = 0
  /** This many messages to bots are sent twice, with the same sequence number. */
  repeatMessages = 0
  /** On a resume the missed messages are sent before op 9, not after it. */
  missedFirst = false
  /** Delay of the response to a resume (ms). */
  resumeDelayMs = 0
  readonly #stops: { stage: GatewayStage; code: number | undefined }[] = []

  /** The next time that a bot's socket reaches `stage`, closes it with `code` instead of continuing. */
  closeAt(stage: GatewayStage, code: number): void {
    this.#stops.push({ stage, code })
  }

  /** The next time that a bot's socket reaches `stage`, it hangs. */
  hangAt(stage: GatewayStage): void {
    this.#stops.push({ stage, code: undefined })
  }

  /** For the gateway: what to do at `stage` instead of continuing. */
  takeStop(stage: GatewayStage): { readonly code: number | undefined } | undefined {
    const at = this.#stops.findIndex(stop => stop.stage === stage)
    return at < 0 ? undefined : this.#stops.splice(at, 1)[0]
  }
}
