/** Faults of one direction of a connection. Every field can be set and removed while bytes flow. */
export interface Toxics {
  /** Additional latency (ms). */
  latencyMs?: number
  /** Maximum random latency in addition, chunk by chunk; the order is kept, as on TCP (ms). */
  jitterMs?: number
  /** Maximum bytes per second; 0 stalls: nothing passes, nothing is read, nothing is lost. */
  bytesPerSecond?: number
  /** Maximum size of a chunk (bytes): messages arrive in pieces. */
  sliceBytes?: number
  /** Time between two slices (ms). */
  sliceGapMs?: number
  /** Average distance between corrupted bytes. */
  corruptEvery?: number
  /** Reads everything and forwards nothing: a black hole, and in both directions a peer that lost its power. */
  swallow?: boolean
  /** Cuts the connection, mid-message, after this many bytes in this direction. */
  limitBytes?: number
}

/** `fin`: closed in order, on both sides. `rst`: reset, as when a process dies. */
export type CutHow = 'fin' | 'rst'

/** `up`: from client to server. */
export type Direction = 'up' | 'down'

/** Minimum of each number; all are finite, and those with a minimum of 1 or more are whole. */
const LEAST: Readonly<Record<Exclude<keyof Toxics, 'swallow'>, number>> = {
  latencyMs: 0,
  jitterMs: 0,
  bytesPerSecond: 0,
  sliceBytes: 1,
  sliceGapMs: 0,
  corruptEvery: 1,
  limitBytes: 0,
}

/** Throws `RangeError` for an unknown fault, or one that is out of its range. */
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
