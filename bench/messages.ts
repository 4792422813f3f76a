import type { Summary } from './stats.ts'

/** From the load: its service takes connections at this address. */
export interface Serving {
  kind: 'serving'
  url: string
}

/** To the load: call, warm up, measure one window, hang up. */
export interface Run {
  kind: 'run'
  /** Where the subject takes calls. */
  port: number
  legs: number
  rampMs: number
  warmMs: number
  windowMs: number
  /** Legs 2n and 2n+1 are in one call and talk in turn; else each is alone and talks all the time. */
  pairs: boolean
}

/** From the load: the window opens; the figures of processes are read now and at `Figures`. */
export interface Opened {
  kind: 'opened'
}

/** From the load: the window is over and everybody still talks. */
export interface Closed {
  kind: 'closed'
  windowMs: number
}

/** From the load, after everybody hung up: what the phones and the service saw in the window. */
export interface Figures {
  kind: 'figures'
  /** Newest 20 ms frame of a fragment due at the phone → fragment at the service. */
  uplinkMs: Summary
  /** Result leaves the service → first sound of it at the phone. */
  downlinkMs: Summary
  /** How late media came for the phone's playout. */
  latenessMs: Summary
  /** How late the phones themselves sent: the load's own fault. */
  senderMs: Summary
  /** Time in which something was sent to be heard; what is missing to the answers' share was dropped or is late. */
  soundPercent: number
  /** Breaks within a stretch of sound, all legs. */
  gaps: number
  /** Frames sent by the phones and never received by the service, all legs. */
  framesLost: number
  /** Legs whose call ended before the window did, or never sounded. */
  legsLost: number
  /** Messages refused by the phones as not of the protocol. */
  refused: number
  /** Media messages to the phones a second and leg. */
  messagesPerLegSecond: number
}

/** From a subject that was asked: its memory in bytes after a collection, as `process.memoryUsage()` has it. */
export interface Memory {
  kind: 'memory'
  heapUsed: number
  heapTotal: number
  external: number
  arrayBuffers: number
}
