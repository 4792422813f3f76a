/**
 * What real phones, networks, attackers and Twilio itself have been seen to do. Everything is off by default: a phone
 * without quirks is the well-behaved, documented case. `docs/testing/phone.md` has the table.
 */
export interface Quirks {
  /** Added to every `timestamp` (0–200 ms): the first one need not be 0. */
  startOffsetMs?: number
  /** Messages arrive up to this much before or after their mean time (±60 is usual), still in order. */
  jitterMs?: number
  /** The network stands still for `packets` packets (at most 10 are usual) every `everyMs`, then all come at once. */
  stall?: { everyMs: number; packets: number }
  /** Nothing is sent while the party is silent; `timestamp` jumps. */
  skipSilence?: boolean
  /** Audio in one media message: 20 (default), 40 or 60 ms. */
  packetMs?: 20 | 40 | 60
  /** `start` has no `customParameters`. */
  omitParameters?: boolean
  /** Laid over the parameters of the TwiML: `{ token: 'stolen' }`. */
  parameters?: Readonly<Record<string, string>>
  /** An event that nobody knows follows `start`. */
  unknownEvent?: boolean
  /** `start` names another call. */
  callSid?: string
  /** Every socket has a twin that says the same `start`: the token is used twice. */
  twinSocket?: boolean
  /** `connected`, then nothing for ever. */
  muteAfterConnected?: boolean
  /** Ten media messages come between `connected` and `start`. */
  mediaBeforeStart?: boolean
  /** One message that is wrong, in place of the fifth media message. */
  badMessage?: 'base64' | 'binary' | 'oversized' | 'json'
  /** The connection dies without `stop` this long after `start`; the call lives, so that its TwiML goes on. */
  dieAfterMs?: number
  /** The socket stays open and silent this long after `stop`. */
  lingerMs?: number
  /** The upgrade's signature: left out, made with another token, over `https://`, or over another path. */
  streamSignature?: 'none' | 'wrong-token' | 'https' | 'other-path'
  /** The webhook's signature: left out, or made with another token. */
  webhookSignature?: 'none' | 'wrong-token'
  /** Every document is asked for twice; the second answer counts. */
  webhookTwice?: boolean
  /** Chooses the jitter: the same seed, the same call. Default 1. */
  seed?: number
}

/** Throws RangeError for quirks that cannot be. */
export function checkQuirks(quirks: Quirks): void {
  const { startOffsetMs = 0, jitterMs = 0, stall, packetMs = 20 } = quirks
  if (!(startOffsetMs >= 0)) throw new RangeError(`startOffsetMs must be 0 or more, got ${startOffsetMs}`)
  if (!(jitterMs >= 0)) throw new RangeError(`jitterMs must be 0 or more, got ${jitterMs}`)
  if (packetMs % 20 !== 0 || packetMs < 20)
    throw new RangeError(`packetMs must be 20, 40 or 60, got ${packetMs}`)
  if (stall && !(stall.packets > 0 && stall.everyMs > stall.packets * packetMs))
    throw new RangeError('a stall needs everyMs above the length of its packets')
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
