/** What is wrong with one direction of a connection. Every field may be set and taken back while bytes flow. */
export interface Toxics {
  /** Bytes arrive this much later (ms). */
  latencyMs?: number
  /** … and up to this much later still, chunk by chunk; their order stays, as on TCP (ms). */
  jitterMs?: number
  /** Bytes per second at most; 0 stalls: nothing passes, nothing is read, nothing is lost. */
  bytesPerSecond?: number
  /** Chunks have this many bytes at most: messages arrive in pieces. */
  sliceBytes?: number
  /** Time between two slices (ms). */
  sliceGapMs?: number
  /** One byte in so many is wrong, on average. */
  corruptEvery?: number
  /** Everything is read and nothing is passed on: a black hole, and with both directions a peer that lost its power. */
  swallow?: boolean
  /** After so many bytes in this direction the connection is cut, in mid message. */
  limitBytes?: number
}

/** `fin`: closed in order, on both sides. `rst`: reset, as when a process dies. */
export type CutHow = 'fin' | 'rst'

/** `up`: from client to server. */
export type Direction = 'up' | 'down'

/** The least value of each number; all are finite, and those from 1 on are whole. */
const LEAST: Readonly<Record<Exclude<keyof Toxics, 'swallow'>, number>> = {
  latencyMs: 0,
  jitterMs: 0,
  bytesPerSecond: 0,
  sliceBytes: 1,
  sliceGapMs: 0,
  corruptEvery: 1,
  limitBytes: 0,
}

/** Throws `RangeError` for a fault that there is not, or one that is out of its range. */
export function checkToxics(toxics: Toxics): void {
  for (const [name, value] of Object.entries(toxics)) {
    if (value === undefined) continue
    if (name === 'swallow') {
      if (typeof value !== 'boolean') throw new RangeError(`swallow is true or false, got ${String(value)}`)
      continue
    }
    const least = LEAST[name as keyof typeof LEAST]
    if (!Object.hasOwn(LEAST, name))
      throw new RangeError(`no such fault: ${name}; there are ${Object.keys(LEAST).join(', ')} and swallow`)
    if (!(Number.isFinite(value) && value >= least && (least === 0 || Number.isInteger(value))))
      throw new RangeError(
        `${name} is ${least === 1 ? 'a whole number from 1' : '0 or more'}, got ${String(value)}`,
      )
  }
}
