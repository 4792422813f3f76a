import type { Clock } from '../../common/clock.ts'
import type { Observer, UtteranceEvent } from '../model/events.ts'
import { STAGES, stagesOf, type UtteranceStages } from '../model/latency-stages.ts'
import type { TappedVoice } from '../model/recording.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { VoiceEvents } from '../playout/listener-voice.ts'
import type { MarkLost } from '../playout/mark-tracker.ts'
import type { SpokenUtterance } from '../playout/translation-queue.ts'
import type { Participant } from './participant.ts'

export interface ReportOptions {
  readonly clock: Clock
  readonly metrics: RelayCounters
  readonly observer: Observer
}

/** Reports one listener's playback of one speaker to observers and metrics, and keeps it for repetition. */
export class ListenerReport implements VoiceEvents {
  readonly #room: string
  readonly #speaker: string
  readonly #listener: Participant
  readonly #options: ReportOptions
  readonly #tapped: (speech: SpokenUtterance) => TappedVoice | undefined

  /** `tapped` returns the recording target of an utterance that starts for this listener. */
  constructor(
    room: string,
    speaker: string,
    listener: Participant,
    options: ReportOptions,
    tapped: (speech: SpokenUtterance) => TappedVoice | undefined,
  ) {
    this.#room = room
    this.#speaker = speaker
    this.#listener = listener
    this.#options = options
    this.#tapped = tapped
  }

  begun(speech: SpokenUtterance): void {
    this.#listener.lastHeard.begun(speech, this.#speaker)
    this.#listener.playout.voices.get(this.#speaker)?.record(this.#tapped(speech))
    const { clock, metrics } = this.#options
    const now = clock.now()
    this.#listener.echo?.begun(speech.words ?? { id: speech.id }, now)
    const latencyMs = now - speech.speechEndedAt
    const known = Number.isFinite(latencyMs)
    if (known) metrics.speechToTranslationMs.record(latencyMs)
    const stages = speech.arrivals && stagesOf(speech.arrivals, speech.speechEndedAt, now)
    if (stages) recordStages(metrics, stages)
    this.#tell('begun', speech, { ...(known ? { latencyMs } : {}), stages })
  }

  /** Measured to the confirmed playout: marks follow the frame that starts the part. */
  part(speech: SpokenUtterance, saidAt: number): void {
    const { clock, metrics, observer } = this.#options
    const heard = () => {
      const spanMs = clock.now() - saidAt
      metrics.earVoiceSpan(speech.languages).record(spanMs)
      observer.emit('earVoice', {
        ...{ room: this.#room, speaker: this.#speaker, listener: this.#listener.id, spanMs },
      })
    }
    this.#listener.playout.mark(`${speech.id} said ${saidAt}`, heard)
  }

  finished(speech: SpokenUtterance): void {
    this.#listener.lastHeard.finished(speech)
    const heard = () => {
      this.#listener.lastHeard.settled(speech)
      this.#options.metrics.utterancesHeard++
      this.#tell('heard', speech)
    }
    const lost = (why: MarkLost) => {
      if (why === 'flushed') this.dropped(speech)
      if (why === 'overdue') this.#listener.lastHeard.settled(speech)
    }
    this.#listener.playout.mark(speech.id, heard, lost)
  }

  dropped(speech: SpokenUtterance): void {
    this.#listener.lastHeard.settled(speech)
    this.#options.metrics.utterancesDropped++
    this.#tell('dropped', speech)
  }

  starved(): void {
    this.#options.metrics.starved++
  }

  skipped(): void {
    this.#options.metrics.originalFramesDropped++
  }

  #tell(
    stage: UtteranceEvent['stage'],
    { id, audio }: SpokenUtterance,
    times: Pick<UtteranceEvent, 'latencyMs' | 'stages'> = {},
  ): void {
    this.#options.observer.emit('utterance', {
      room: this.#room,
      speaker: this.#speaker,
      listener: this.#listener.id,
      utterance: id,
      stage,
      audioMs: audio.durationMs,
      ...times,
    })
  }
}

function recordStages(metrics: RelayCounters, stages: UtteranceStages): void {
  for (const stage of STAGES) {
    const ms = stages[`${stage}Ms`]
    if (ms !== undefined) metrics.stagesMs[stage].record(ms)
  }
}
