import { FRAME_MS } from '../transcode/pcm.ts'
import { EchoGate, type EchoGateOutlet } from './echo-gate.ts'
import { EchoReference } from './echo-reference.ts'
import { EchoWords, isEchoText, type PlayedWords } from './echo-text-guard.ts'
import type { RelayMetrics } from './metrics.ts'

/** So much echo means that a microphone picks up what is played (loud frames: 2 s). */
const MUCH = 100

/**
 * Before anything is known, a voice as loud as another one's in the same place is a person who talks at the same time: an echo of
 * that voice, through a loudspeaker and the client's own echo cancellation, is softer (dB).
 */
const VOICE_STRONGEST_DB = -12

/**
 * One party's side of the protection against acoustic echo: what it is played, the gate before the service, and the words
 * it was played. Parties of one place are heard by each other's microphones, also the voices that reach them without us.
 */
export class PartyEcho {
  /** What is played to the party. */
  readonly played = new EchoReference()
  /** What the party says, where others hear it without us. */
  #said: EchoReference | undefined
  readonly #words = new EchoWords()
  readonly #gate: EchoGate
  readonly #metrics: RelayMetrics
  #sources: readonly EchoWords[] = [this.#words]
  #told = false

  constructor(metrics: RelayMetrics, outlet: EchoGateOutlet) {
    this.#metrics = metrics
    this.#gate = new EchoGate(metrics, outlet)
    this.#gate.references = [this.played]
  }

  /** Those in the same place, this one included; none where the party is by itself. */
  share(mates: readonly PartyEcho[]): void {
    const others = mates.filter(mate => mate !== this)
    this.#gate.references = [this.played, ...others.flatMap(mate => [mate.played, mate.#voice()])]
    this.#sources = [this.#words, ...others.map(mate => mate.#words)]
  }

  #voice(): EchoReference {
    this.#said ??= new EchoReference(VOICE_STRONGEST_DB)
    return this.#said
  }

  /** A frame of the party's voice, of RMS `level`, at `now` (clock ms). */
  write(frame: Int16Array, level: number, now: number): void {
    this.#gate.write(frame, level, now)
    this.#said?.add(frame, this.#gate.slot * FRAME_MS)
  }

  /** What waits in the gate goes out: no more comes for the moment. */
  flush(now: number): void {
    this.#gate.flush(now)
  }

  /** What waits in the gate is not heard: the party has muted themself. */
  mute(): void {
    this.#gate.clear()
  }

  /** Another leg has another echo. */
  reset(): void {
    this.#gate.reset()
  }

  /** Words begin to be played to the party at `now` (clock ms), or began then. */
  begun(words: PlayedWords, now: number): void {
    this.#words.begun(words, now)
  }

  /** Whether `text`, understood of this party at `now`, is what was played. Counted if it is `final`. */
  isEcho(text: string, final: boolean, now: number): boolean {
    if (!isEchoText(text, this.#sources, this.#gate, now)) return false
    if (final) this.#metrics.utterancesEchoed++
    return true
  }

  /** True once: the microphone has picked up much of what is played. */
  get noticed(): boolean {
    if (this.#told || this.#gate.echoFrames < MUCH) return false
    this.#told = true
    return true
  }

  close(): void {
    this.#gate.clear()
    this.#gate.references = []
    this.#words.clear()
    this.#sources = []
  }
}
