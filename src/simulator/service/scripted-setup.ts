import type { Clock } from '../../common/clock.ts'
import type { ConnectionParameters, Namespace } from '../../service/contract.ts'
import type { SessionFaults } from './scripted-faults.ts'
import type { ServiceShape } from './service-shape.ts'

/** One event of a session, in order. */
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

/** The answer to one stretch of audio, or to one text. */
export interface Saying {
  /** Default: the number of the utterance and its language. */
  text?: string
  translation?: string
  /** mp3. Without it the result has no `file`. */
  audio?: Uint8Array
  /** The same audio as 16 kHz samples, for a service whose shape has no mp3. */
  pcm?: Int16Array
  /** Sample rate of `audio`, Hz. Default 16 000. */
  rate?: number
  startMs?: number
  endMs?: number
}

export interface SessionSetup {
  /** Order of connection to this service, from 1. */
  number: number
  namespace: Namespace
  parameters: ConnectionParameters
  faults: SessionFaults
  shape: ServiceShape
  clock: Clock
  record: 'counts' | 'events' | 'audio'
  /** Called with every accepted fragment, before it is acknowledged. */
  onFragment: (pcm: Int16Array) => void
  /** Called with every accepted text, before it is acknowledged. */
  onText: (text: string) => void
}
