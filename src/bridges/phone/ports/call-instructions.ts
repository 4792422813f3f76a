import type { Spoken } from '../incoming-call.ts'

/** A response to a webhook: what the carrier does with the call next. */
export interface Instructions {
  /** Media type of `body`. */
  readonly contentType: string
  readonly body: string
}

/** Target of a call’s stream, and of the call after the stream has ended. */
export interface StreamPlan {
  readonly callId: string
  /** `wss://…`, without a query. */
  readonly streamUrl: string
  /** Delivered in `Start.parameters`; name and value together under 500 characters. */
  readonly parameters: Readonly<Record<string, string>>
  /** Requested once the stream has closed while the call continues. */
  readonly resumeUrl: string
  /** Silence before the stream opens, in whole seconds. */
  readonly pauseSeconds?: number
}

/** Sounds that prompt for keys, and the target of the keys. */
export interface KeyPlan {
  readonly playUrls: readonly string[]
  /** Requested with the keys, or without them if no key was pressed. */
  readonly actionUrl: string
  /** Number of keys in an answer; absent: ends with `#` or a pause. */
  readonly keys?: number
  /** The pause that ends an answer, in whole seconds. */
  readonly pauseSeconds: number
}

/** Writes a carrier’s call markup. Pure: the same arguments give the same document. All requests are POST. */
export interface CallInstructions {
  /** Answers the call and streams it in both directions. */
  connectStream(plan: StreamPlan): Instructions
  /** Pauses for whole seconds, then requests `url` for instructions. */
  waitAndAsk(seconds: number, url: string): Instructions
  /** Plays sounds and collects keys meanwhile or afterwards. */
  gatherKeys(plan: KeyPlan): Instructions
  /** Answers, plays WAV files of 8 kHz and hangs up. */
  playAndHangUp(urls: readonly string[]): Instructions
  /** Answers, speaks with a voice of the carrier and hangs up. */
  sayAndHangUp(spoken: Spoken): Instructions
  /** Rejects a call that has not been answered. */
  reject(reason: 'busy' | 'rejected'): Instructions
  hangUp(): Instructions
}
