import { after } from './clock.ts'
import { Interpretation, type InterpretationParts } from './interpretation.ts'
import type { Hearing, Participant } from './participant.ts'
import { type Route, routesOf } from './routing.ts'
import { type OriginalGains, Voice } from './voice.ts'

/** A speaker who left is still translated for this long, and heard to the end, so that their last words arrive (ms). */
const LINGER_MS = 6_000
/** … but for no longer than this, whatever still comes (ms). */
const LINGER_MOST_MS = 60_000
/** Less than this cannot be played before more comes, or the end (ms). */
const REST_MS = 40

/** Participants who hear each other. Owns them and one interpretation per speaker and language wanted. */
export class Room {
  readonly name: string
  readonly #parts: InterpretationParts
  readonly #gains: OriginalGains
  readonly #participants = new Map<string, Participant>()
  readonly #interpretations = new Map<string, Interpretation>()
  readonly #lingering = new Map<string, Disposable>()

  constructor(name: string, parts: InterpretationParts) {
    this.name = name
    this.#parts = parts
    const { lowDb, softDb, duckDb } = parts.options
    this.#gains = { low: factor(lowDb), soft: factor(softDb), ducked: factor(duckDb) }
  }

  get participants(): ReadonlyMap<string, Participant> {
    return this.#participants
  }

  get interpretations(): Iterable<Interpretation> {
    return this.#interpretations.values()
  }

  /** Sessions open to the service. */
  get sessions(): number {
    return this.#interpretations.size
  }

  join(participant: Participant): void {
    if (this.#participants.has(participant.id))
      throw new RangeError(`${participant.id} is in room ${this.name} already`)
    this.#participants.set(participant.id, participant)
    this.#route()
  }

  /** Takes a participant out; their last words are still translated for those who stay. */
  leave(participant: Participant): void {
    if (!this.#participants.delete(participant.id)) return
    participant.sessions = []
    participant.hearings = []
    for (const voice of participant.playout.voices.values()) voice.clear()
    if (this.#participants.size > 0 && this.#speaks(participant.id)) this.#linger(participant.id)
    this.#route()
  }

  /** Sends what is due to every listener. */
  tick(now: number): void {
    for (const participant of this.#participants.values()) participant.playout.pump(now)
  }

  /** Looks at the sessions' deadlines. */
  check(now: number): void {
    for (const { session } of this.#interpretations.values()) session.check(now)
  }

  close(): void {
    for (const timer of this.#lingering.values()) timer[Symbol.dispose]()
    this.#lingering.clear()
    for (const interpretation of this.#interpretations.values())
      void interpretation.close({ kind: 'parent-closed' })
    this.#interpretations.clear()
    this.#participants.clear()
  }

  #linger(speaker: string, mostMs = LINGER_MOST_MS): void {
    const over = () => {
      if (mostMs > LINGER_MS && this.#heardStill(speaker)) return this.#linger(speaker, mostMs - LINGER_MS)
      this.#lingering.delete(speaker)
      this.#route()
    }
    this.#lingering.set(speaker, after(this.#parts.clock, LINGER_MS, over))
  }

  /** Somebody has not heard all of the translations of `speaker` that are there. */
  #heardStill(speaker: string): boolean {
    for (const { playout } of this.#participants.values())
      if ((playout.voices.get(speaker)?.translation.backlogMs ?? 0) > REST_MS) return true
    return false
  }

  #speaks(id: string): boolean {
    for (const { speaker } of this.#interpretations.values()) if (speaker.id === id) return true
    return false
  }

  /** Makes sessions, voices and fan-out fit who is here now; what is still right is left alone. */
  #route(): void {
    const routes = routesOf([...this.#participants.values()])
    this.#openAndClose(routes)
    for (const listener of this.#participants.values()) this.#fitVoices(listener, routes)
    for (const interpretation of this.#interpretations.values()) {
      const { speaker, to } = interpretation
      const lingers = this.#lingering.has(speaker.id)
      interpretation.hearings = [...this.#participants.values()].flatMap(listener => {
        const routed = routes.some(r => r.speaker === speaker.id && r.listener === listener.id && r.to === to)
        const voice = listener.playout.voices.get(speaker.id)
        return voice && (routed || (lingers && listener.invitation.hears === to))
          ? [{ playout: listener.playout, voice }]
          : []
      })
    }
    for (const speaker of this.#participants.values()) {
      speaker.sessions = [...this.#interpretations.values()]
        .filter(i => i.speaker === speaker)
        .map(i => i.session)
      speaker.hearings = routes
        .filter(route => route.speaker === speaker.id)
        .map(route => this.#hearing(route))
    }
  }

  #openAndClose(routes: readonly Route[]): void {
    const wanted = new Set(routes.flatMap(({ speaker, to }) => (to ? [key(speaker, to)] : [])))
    for (const [id, interpretation] of this.#interpretations) {
      if (wanted.has(id) || this.#lingering.has(interpretation.speaker.id)) continue
      this.#interpretations.delete(id)
      void interpretation.close({ kind: 'unused' })
    }
    for (const { speaker, to } of routes) {
      const participant = this.#participants.get(speaker)
      if (to && participant && !this.#interpretations.has(key(speaker, to)))
        this.#interpretations.set(key(speaker, to), new Interpretation(participant, to, this.#parts))
    }
  }

  #fitVoices(listener: Participant, routes: readonly Route[]): void {
    const mine = routes.filter(route => route.listener === listener.id)
    for (const speaker of listener.playout.voices.keys())
      if (!mine.some(route => route.speaker === speaker) && !this.#lingering.has(speaker))
        listener.playout.remove(speaker)
    for (const route of mine) {
      const voice = listener.playout.voices.get(route.speaker) ?? this.#newVoice(listener, route.speaker)
      voice.session = route.to ? this.#interpretations.get(key(route.speaker, route.to))?.session : undefined
      voice.own = route.speaker === route.listener
      voice.mode = listener.invitation.original ?? 'duck'
    }
  }

  #newVoice(listener: Participant, speaker: string): Voice {
    const event = (
      stage: 'begun' | 'heard' | 'dropped',
      utterance: string,
      audioMs: number,
      latencyMs?: number,
    ) =>
      this.#parts.observer.emit('utterance', {
        room: this.name,
        speaker,
        listener: listener.id,
        utterance,
        stage,
        audioMs,
        ...(latencyMs === undefined ? {} : { latencyMs }),
      })
    const voice = new Voice(speaker, this.#gains, this.#parts.options.maxLagMs, {
      begun: utterance => {
        const latencyMs = this.#parts.clock.now() - utterance.speechEndedAt
        if (Number.isFinite(latencyMs)) this.#parts.metrics.speechToTranslationMs.record(latencyMs)
        event(
          'begun',
          utterance.id,
          utterance.audio.durationMs,
          Number.isFinite(latencyMs) ? latencyMs : undefined,
        )
      },
      finished: utterance => {
        const { durationMs } = utterance.audio
        listener.playout.mark(utterance.id, () => {
          this.#parts.metrics.utterancesHeard++
          event('heard', utterance.id, durationMs)
        })
      },
      dropped: utterance => {
        this.#parts.metrics.utterancesDropped++
        event('dropped', utterance.id, utterance.audio.durationMs)
      },
      starved: () => this.#parts.metrics.starved++,
      skipped: () => this.#parts.metrics.originalFramesDropped++,
    })
    listener.playout.add(voice)
    return voice
  }

  #hearing(route: Route): Hearing {
    const playout = this.#participants.get(route.listener)?.playout
    const voice = playout?.voices.get(route.speaker)
    if (!playout || !voice) throw new RangeError(`${route.listener} has no voice for ${route.speaker}`)
    return { playout, voice }
  }
}

function key(speaker: string, to: string): string {
  return `${speaker} ${to}`
}

function factor(db: number): number {
  return 10 ** (db / 20)
}
