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
