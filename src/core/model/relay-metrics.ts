import { Histogram } from '../../common/histogram.ts'
import { type FieldTable, MS } from '../../common/metric-field.ts'
import { STAGES, type Stage } from './latency-stages.ts'

/** Counters and gauges of the relay, as plain fields for exporters. */
export class RelayMetrics {
  legsAdmitted = 0
  legsEnded = 0
  legsRejected = 0
  /** Legs of participants who reconnected. */
  legsReconnected = 0
  /** 20 ms frames from participants. */
  framesIn = 0
  /** … of these, replaced by silence for the service because they contained a DTMF tone. */
  dtmfFramesMasked = 0
  /** … of these, replaced by silence for the service because they were echo. */
  echoFramesMasked = 0
  /** Utterances whose text was recognized as echo. */
  utterancesEchoed = 0
  /** 20 ms frames to participants. */
  framesOut = 0
  sessionsOpened = 0
  sessionsEnded = 0
  /** Session connections that were lost or could not be opened. */
  sessionsDropped = 0
  /** Connections replaced while still in use: before they expired, or by a preferred service. */
  sessionsRenewed = 0
  /** Times that a circuit breaker opened. */
  circuitsOpened = 0
  /** Connections that probed a service while its circuit breaker was open. */
  probes = 0
  /** Services with an open circuit breaker, sessions waiting for a service, and sessions on a fallback (gauges, once per second). */
  servicesUnavailableNow = 0
  sessionsWaitingNow = 0
  sessionsOnFallbackNow = 0
  fragmentsSent = 0
  fragmentsReplayed = 0
  /** Audio dropped from the replay buffer before the service accepted it (ms). */
  lostMs = 0
  utterances = 0
  utterancesHeard = 0
  utterancesDropped = 0
  /** Utterances with text but no voice, although one was requested. */
  utterancesVoiceless = 0
  /** Repeated chunks of a voice, which were played once. */
  resultsRepeated = 0
  /** Times that a listener's speech dropped unplayed translations (`interrupt: clear`). */
  interruptions = 0
  /** Buffer underruns within an utterance. */
  starved = 0
  /** Frames of original voices dropped to keep them close to live. */
  originalFramesDropped = 0
  /** Frames not sent because the peer reads too slowly. */
  congestedFrames = 0
  /** Exceptions that affected only one leg, session, utterance or observer. */
  faultsContained = 0
  /** Bytes of voices that were not audio, or did not fit. */
  mp3InvalidBytes = 0
  /** Time saved by trimming pauses of late translations, over all listeners (ms). */
  pausesTrimmedMs = 0
  /** Time saved by playing them faster than spoken (ms). */
  timeCompressedMs = 0
  /** Current maximum lag of a translation, and number of late translations over all listeners (gauges, once per second). */
  lagNowMs = 0
  lateNow = 0
  /** Lag of each playing translation, once per second and listener (ms). */
  readonly lagMs = new Histogram()
  /** Time from the end of speech to the first translated frame (ms): the most important figure of this product. */
  readonly speechToTranslationMs = new Histogram()
  /** … and its parts by stage (ms). */
  readonly stagesMs: Readonly<Record<Stage, Histogram>> = byStage()
  /** Lateness of the relay's own tick (ms). */
  readonly tickLateMs = new Histogram()
}

/** The metric of each counter. */
export const RELAY_METRICS: FieldTable<RelayMetrics> = {
  legsAdmitted: [
    'dragoman_legs_admitted_total',
    'Legs that joined, including those of reconnected participants.',
  ],
  legsEnded: ['dragoman_legs_ended_total', 'Legs that ended.'],
  legsRejected: ['dragoman_legs_rejected_total', 'Legs rejected because relay.maxLegs was reached.'],
  legsReconnected: [
    'dragoman_legs_reconnected_total',
    'Legs by which a disconnected participant reconnected.',
  ],
  framesIn: ['dragoman_frames_received_total', '20 ms frames received from participants.'],
  dtmfFramesMasked: [
    'dragoman_dtmf_frames_masked_total',
    'Frames replaced with silence for the service because they contained a DTMF tone.',
  ],
  echoFramesMasked: [
    'dragoman_echo_frames_masked_total',
    'Frames replaced with silence for the service because they contained an echo of what the participant heard.',
  ],
  utterancesEchoed: [
    'dragoman_utterances_echoed_total',
    'Utterances dropped because they were an echo of what the participant heard.',
  ],
  framesOut: ['dragoman_frames_sent_total', '20 ms frames sent to participants.'],
  sessionsOpened: [
    'dragoman_sessions_opened_total',
    'Translation sessions opened: one per speaker and target language, when the speaker speaks.',
  ],
  sessionsEnded: ['dragoman_sessions_ended_total', 'Translation sessions that ended.'],
  sessionsDropped: [
    'dragoman_session_connections_lost_total',
    'Connections of sessions to a service that were lost or failed.',
  ],
  sessionsRenewed: [
    'dragoman_session_connections_renewed_total',
    'Connections of sessions replaced while they still worked.',
  ],
  circuitsOpened: [
    'dragoman_service_circuits_opened_total',
    'Times that the circuit breaker of a service opened.',
  ],
  probes: ['dragoman_service_probes_total', 'Probes sent through an open circuit breaker.'],
  servicesUnavailableNow: ['dragoman_services_unavailable', 'Services whose circuit breaker is open.'],
  sessionsWaitingNow: ['dragoman_sessions_waiting', 'Sessions waiting for a service.'],
  sessionsOnFallbackNow: ['dragoman_sessions_on_fallback', 'Sessions on a fallback service.'],
  fragmentsSent: ['dragoman_fragments_sent_total', 'Fragments of speech sent to services.'],
  fragmentsReplayed: [
    'dragoman_fragments_replayed_total',
    'Fragments of speech replayed after a connection was lost.',
  ],
  lostMs: [
    'dragoman_speech_lost_seconds_total',
    'Speech dropped from the replay buffer before a service received it.',
    MS,
  ],
  utterances: ['dragoman_utterances_total', 'Translated utterances with audio.'],
  utterancesHeard: ['dragoman_utterances_heard_total', 'Utterances confirmed as played, by listener.'],
  utterancesDropped: [
    'dragoman_utterances_dropped_total',
    'Utterances dropped before they were played, by listener.',
  ],
  utterancesVoiceless: [
    'dragoman_utterances_voiceless_total',
    'Utterances received as text only although audio was requested.',
  ],
  resultsRepeated: [
    'dragoman_voice_pieces_repeated_total',
    'Duplicate pieces of audio that were played once.',
  ],
  interruptions: [
    'dragoman_interruptions_total',
    'Times that pending translations were dropped because the listener spoke.',
  ],
  starved: [
    'dragoman_translations_starved_total',
    'Times that a translation ran out of audio during an utterance.',
  ],
  originalFramesDropped: [
    'dragoman_original_frames_dropped_total',
    'Frames of original voices skipped to stay close to live.',
  ],
  congestedFrames: ['dragoman_congested_frames_total', 'Frames not sent because the peer reads too slowly.'],
  faultsContained: [
    'dragoman_faults_contained_total',
    'Internal exceptions that ended one leg, session, utterance or observer; each is logged once.',
  ],
  mp3InvalidBytes: [
    'dragoman_mp3_invalid_bytes_total',
    'Bytes of voices that were not audio, or too many to be decoded.',
  ],
  pausesTrimmedMs: [
    'dragoman_pauses_trimmed_seconds_total',
    'Time gained by trimming pauses of late translations, over all listeners.',
    MS,
  ],
  timeCompressedMs: [
    'dragoman_speech_time_compressed_seconds_total',
    'Time gained by playing late translations faster.',
    MS,
  ],
  lagNowMs: ['dragoman_translation_lag_largest_seconds', 'Maximum current lag of a translation.', MS],
  lateNow: [
    'dragoman_translations_late',
    'Translations that are currently over half a second late for a listener.',
  ],
}

function byStage(): Record<Stage, Histogram> {
  return Object.fromEntries(STAGES.map(stage => [stage, new Histogram()])) as Record<Stage, Histogram>
}
