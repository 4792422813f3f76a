import type { Carrier } from './served-settings.ts'
import type { Summary } from './stats.ts'

/** From the load: its service accepts connections at this address. */
export interface Serving {
  kind: 'serving'
  url: string
  /** With `--channel discord`. */
  discord?: DiscordAccount | undefined
}

/** The data with which a bot logs in to the simulated Discord. */
export interface DiscordAccount {
  readonly token: string
  readonly apiUrl: string
  /** Certificate of its voice servers (PEM). */
  readonly certificate: string
}

/** To the load: call, warm up, measure one window, hang up. */
export interface Run {
  kind: 'run'
  /** Port of the subject for calls. */
  port: number
  /** Signs the calls; without it they are unsigned. */
  signature?: Signature
  legs: number
  rampMs: number
  warmMs: number
  windowMs: number
  /** Legs 2n and 2n+1 are in one call and talk in turn; otherwise each is alone and talks all the time. */
  pairs: boolean
}

/** The data with which calls pass the signature check of the bridge. */
export interface Signature {
  authToken: string
  /** The public address that the bridge is configured with. */
  publicUrl: string
  /** Carrier of the phones. Default: Twilio. */
  carrier?: Carrier | undefined
}

/** From the load: the window opens; the figures of processes are read now and at `Figures`. */
export interface Opened {
  kind: 'opened'
}

/** From the load: the window is over and everyone still talks. */
export interface Closed {
  kind: 'closed'
  windowMs: number
}

/** From the load, after all calls ended: the measurements of the phones and the service in the window. */
export interface Figures {
  kind: 'figures'
  /**
   * Time from the newest 20 ms frame of a fragment at the phone to the fragment at the service, while nothing plays at the
   * phone. The duration of the frame and of the fragment are not included.
   */
  uplinkMs: Summary
  /** The same while a translation plays, when frames without clear speech wait at the echo gate. */
  uplinkOverPlaybackMs: Summary
  /** End of speech: 500 ms of silence spoken → received by the service, which then knows; while nothing plays. */
  speechEndMs: Summary
  /** Time from sending a result to its first sound at the phone. */
  downlinkMs: Summary
  /** Lateness of media for the phone's playout. */
  latenessMs: Summary
  /** Lateness of the phones themselves: caused by the load. */
  senderMs: Summary
  /** Share of the time with audio; a difference to the answers' share was dropped or is late. */
  soundPercent: number
  /** Gaps within a stretch of sound, all legs. */
  gaps: number
  longestGapMs: number
  /** Frames sent by the phones and never received by the service, all legs. */
  framesLost: number
  /** Legs whose call ended before the window did, or that were always silent. */
  legsLost: number
  /** Messages rejected by the phones as protocol violations. */
  refused: number
  /** Media messages to the phones per second and leg. */
  messagesPerLegSecond: number
}

/** From a subject, on request: its memory in bytes after a collection, like `process.memoryUsage()`. */
export interface Memory {
  kind: 'memory'
  heapUsed: number
  heapTotal: number
  external: number
  arrayBuffers: number
}
