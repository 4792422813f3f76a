/**
 * Observed behavior of real phones, networks, attackers and Twilio itself. Everything is off by default: a phone
 * without quirks is the well-behaved, documented case. `docs/testing/phone-checks.md` has the table.
 */
export interface Quirks {
  /** Added to every `timestamp` (0–200 ms): the first one need not be 0. */
  startOffsetMs?: number
  /** Messages arrive up to this much before or after their mean time (±60 is usual), still in order. */
  jitterMs?: number
  /** The network stalls for `packets` packets (at most 10 are usual) every `everyMs`, then all arrive at once. */
  stall?: { everyMs: number; packets: number }
  /** Sends nothing while the participant is silent; `timestamp` jumps. */
  skipSilence?: boolean
  /** Audio in one media message: 20 (default), 40 or 60 ms. */
  packetMs?: 20 | 40 | 60
  /** `start` has no `customParameters`. */
  omitParameters?: boolean
  /** Overrides parameters of the TwiML: `{ token: 'stolen' }`. */
  parameters?: Readonly<Record<string, string>>
  /** Sends an unknown event after `start`. */
  unknownEvent?: boolean
  /** `start` names another call. */
  callSid?: string
  /** Every socket has a twin that sends the same `start`: the token is used twice. */
  twinSocket?: boolean
  /** Sends `connected`, then nothing. */
  muteAfterConnected?: boolean
  /** Sends ten media messages between `connected` and `start`. */
  mediaBeforeStart?: boolean
  /** Replaces the fifth media message with an invalid message. */
  badMessage?: 'base64' | 'binary' | 'oversized' | 'json'
  /** The connection dies without `stop` this long after `start`; the call lives, so that its TwiML continues. */
  dieAfterMs?: number
  /** The socket stays open and silent this long after `stop`. */
  lingerMs?: number
  /** The upgrade's signature: omitted, made with another token, over `https://`, or over another path. */
  streamSignature?: 'none' | 'wrong-token' | 'https' | 'other-path'
  /** The webhook's signature: omitted, or made with another token. */
  webhookSignature?: 'none' | 'wrong-token'
  /** Requests every document twice; the second answer counts. */
  webhookTwice?: boolean
  /** Seed of the jitter: the same seed gives the same call. Default 1. */
  seed?: number
}

/** Throws RangeError for invalid quirks. */
export function checkQuirks(quirks: Quirks): void {
  const { startOffsetMs = 0, jitterMs = 0, stall, packetMs = 20 } = quirks
  if (!(startOffsetMs >= 0)) throw new RangeError(`startOffsetMs must be 0 or more, got ${startOffsetMs}`)
  if (!(jitterMs >= 0)) throw new RangeError(`jitterMs must be 0 or more, got ${jitterMs}`)
  if (packetMs % 20 !== 0 || packetMs < 20)
    throw new RangeError(`packetMs must be 20, 40 or 60, got ${packetMs}`)
  if (stall && !(stall.packets > 0 && stall.everyMs > stall.packets * packetMs))
    throw new RangeError('a stall needs everyMs above the length of its packets')
}
