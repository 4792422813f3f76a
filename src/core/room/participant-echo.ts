import type { RelayCounters } from '../model/relay-counters.ts'
import { EchoReference } from '../playout/echo-reference.ts'
import { EchoGate, type EchoGateOutlet } from './echo-gate.ts'
import { EchoWords, isEchoText, type PlayedWords } from './echo-text-guard.ts'

/** Loud frames of echo that prove that a microphone picks up the playback (2 s). */
const MUCH = 100

/**
 * An initial assumption. A voice as loud as that of another participant in the same place is a person talking at the
 * same time: an echo of that voice, through a loudspeaker and the client's own echo cancellation, is quieter (dB).
 */
const VOICE_STRONGEST_DB = -12

/**
 * Echo suppression of one participant: reference of the playback, gate before the service, and words played. The
 * microphones of participants in one place also pick up each other's playback and voices.
 */
export class ParticipantEcho {
  /** Playback of the participant. */
  readonly played = new EchoReference()
  /** Voice of the participant, where others in the same place hear it directly. */
  #said: EchoReference | undefined
  readonly #words = new EchoWords()
  /** Takes the voice of the participant. */
  readonly gate: EchoGate
  readonly #metrics: RelayCounters
  #sources: readonly EchoWords[] = [this.#words]
  #reported = false

  constructor(metrics: RelayCounters, outlet: EchoGateOutlet) {
    this.#metrics = metrics
    this.gate = new EchoGate(metrics, outlet)
    this.gate.references = [this.played]
  }

  /** Sets the participants in the same place, this one included; empty for a participant who is alone. */
  share(mates: readonly ParticipantEcho[]): void {
    const others = mates.filter(mate => mate !== this)
    this.gate.references = [this.played, ...others.flatMap(mate => [mate.played, mate.#voice()])]
    this.#sources = [this.#words, ...others.map(mate => mate.#words)]
  }

  #voice(): EchoReference {
    this.#said ??= new EchoReference(VOICE_STRONGEST_DB)
    this.gate.record(this.#said)
    return this.#said
  }

  /** Sends the frames that wait in the gate, because no more follow for now. */
  flush(now: number): void {
    this.gate.flush(now)
  }

  /** Discards the frames that wait in the gate: the participant is muted. */
  mute(): void {
    this.gate.clear()
  }

  /** A new leg has a different echo. */
  reset(): void {
    this.gate.reset()
  }

  /** Playback of `words` to the participant starts, or started, at `now` (clock ms). */
  begun(words: PlayedWords, now: number): void {
    this.#words.begun(words, now)
  }

  /** True if `text`, recognized from this participant at `now`, is their playback. Counts it if `final`. */
  isEcho(text: string, final: boolean, now: number): boolean {
    if (!isEchoText(text, this.#sources, this.gate, now)) return false
    if (final) this.#metrics.utterancesEchoed++
    return true
  }

  /** True once: when the microphone has picked up much of the playback. */
  get noticed(): boolean {
    if (this.#reported || this.gate.echoFrames < MUCH) return false
    this.#reported = true
    return true
  }

  close(): void {
    this.gate.clear()
    this.gate.references = []
    this.#words.clear()
    this.#sources = []
  }
}
