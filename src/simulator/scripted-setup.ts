import type { Clock } from '../core/clock.ts'
import type { ConnectionParameters, Namespace } from '../service/contract.ts'
import type { SessionFaults } from './scripted-faults.ts'
import type { ServiceShape } from './service-shape.ts'

/** One thing that happened in a session, in order. */
export interface SessionEvent {
  /** Milliseconds of the service's clock. */
  at: number
  event:
    | 'connected'
    | 'start'
    | 'fragment'
    | 'text'
    | 'nack'
    | 'result'
    | 'endSynth'
    | 'error'
    | 'disconnect'
    | 'other'
  detail?: unknown
}

/** What a session says about one stretch of audio, or about one text. */
export interface Saying {
  /** Default: the number of the utterance and its language. */
  text?: string
  translation?: string
  /** mp3. Without it the result has no `file`. */
  audio?: Uint8Array
  /** The same as samples of 16 kHz, for a service whose shape has no mp3. */
  pcm?: Int16Array
  /** Sample rate of `audio`, Hz. Default 16 000. */
  rate?: number
  startMs?: number
  endMs?: number
}

export interface SessionSetup {
  /** Order of connection at this service, from 1. */
  number: number
  namespace: Namespace
  parameters: ConnectionParameters
  faults: SessionFaults
  shape: ServiceShape
  clock: Clock
  record: 'counts' | 'events' | 'audio'
  /** Called with every fragment taken, before it is acknowledged. */
  onFragment: (pcm: Int16Array) => void
  /** Called with every text taken, before it is acknowledged. */
  onText: (text: string) => void
}
