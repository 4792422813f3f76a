import type { Metric } from 'prom-client'
import { STAGES } from '../../core/model/latency-stages.ts'
import type { Relay } from '../../core/room/relay.ts'
import { histogram, inSeconds, labeled, single } from './metric.ts'

/** Bounds of histograms (s). */
const LATENCY = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30]
const STAGE = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10]
const LAG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const TICK = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

const CIRCUITS = ['closed', 'open', 'half-open'] as const

/** Metrics of the relay. */
export function relayMetrics(relay: Relay): Metric[] {
  const { metrics } = relay
  return [
    single('dragoman_rooms', 'Open rooms.', () => relay.rooms.size),
    single('dragoman_legs', 'Legs in rooms.', () => relay.legs),
    labeled(
      'dragoman_participants',
      'Participants in rooms, including disconnected participants who can still reconnect.',
      ['channel'],
      () => Array.from(byChannel(relay), ([channel, count]) => [[channel], count] as const),
    ),
    labeled(
      'dragoman_listeners',
      'People who listen to rooms by links for listening, by language.',
      ['language'],
      () => Array.from(listenersByLanguage(relay), ([language, count]) => [[language], count] as const),
    ),
    labeled(
      'dragoman_receptions',
      'Pairs of a speaker and a listener, by what the listener gets: translated, stand-in, original (same language), unavailable, nothing (muted, or in the same place).',
      ['gets'],
      () => Object.entries(relay.receptions).map(([gets, count]) => [[gets], count] as const),
    ),
    single(
      'dragoman_legs_rejected_total',
      'Legs rejected because relay.maxLegs was reached.',
      () => metrics.legsRejected,
    ),
    single(
      'dragoman_frames_received_total',
      '20 ms frames received from participants.',
      () => metrics.framesIn,
    ),
    single('dragoman_frames_sent_total', '20 ms frames sent to participants.', () => metrics.framesOut),
    single(
      'dragoman_congested_frames_total',
      'Frames not sent because the peer reads too slowly.',
      () => metrics.congestedFrames,
    ),
    single(
      'dragoman_original_frames_dropped_total',
      'Frames of original voices skipped to stay close to live.',
      () => metrics.originalFramesDropped,
    ),
    single(
      'dragoman_faults_contained_total',
      'Internal exceptions that ended one leg, session, utterance or observer; each is logged once.',
      () => metrics.faultsContained,
    ),
    ...sessionMetrics(relay),
    ...translationMetrics(relay),
    histogram(
      'dragoman_tick_late_seconds',
      'Delay of the relay’s timer, which runs 50 times a second.',
      [],
      TICK,
      () => [[[], inSeconds(metrics.tickLateMs, TICK)]],
    ),
  ]
}

/** Metrics of sessions with translation services, and of the services. */
function sessionMetrics(relay: Relay): Metric[] {
  const { metrics } = relay
  return [
    single(
      'dragoman_sessions',
      'Open translation sessions: of speakers who speak or spoke within the last minute.',
      () => metrics.sessionsOpened - metrics.sessionsEnded,
    ),
    single(
      'dragoman_sessions_waiting',
      'Sessions waiting for a service, or for a free place at one.',
      () => metrics.sessionsWaitingNow,
    ),
    single(
      'dragoman_sessions_on_fallback',
      'Sessions on a fallback service.',
      () => metrics.sessionsOnFallbackNow,
    ),
    single(
      'dragoman_session_connections_lost_total',
      'Connections of sessions to a service that were lost or failed.',
      () => metrics.sessionsDropped,
    ),
    single(
      'dragoman_session_connections_renewed_total',
      'Connections of sessions replaced while they still worked.',
      () => metrics.sessionsRenewed,
    ),
    labeled(
      'dragoman_service_circuit',
      'State of the circuit breaker of each service, 0 being the primary: 1 for the current state.',
      ['service', 'state'],
      () =>
        relay.services.flatMap((now, place) =>
          CIRCUITS.map(state => [[`${place}`, state], state === now ? 1 : 0] as const),
        ),
    ),
    single(
      'dragoman_service_probes_total',
      'Probes sent through an open circuit breaker.',
      () => metrics.probes,
    ),
    single(
      'dragoman_replay_fragments',
      'Fragments of speech in replay buffers.',
      () => relay.replayFragments,
    ),
    single(
      'dragoman_fragments_replayed_total',
      'Fragments of speech replayed after a connection was lost.',
      () => metrics.fragmentsReplayed,
    ),
    single(
      'dragoman_speech_lost_seconds_total',
      'Speech dropped from the replay buffer before a service received it.',
      () => metrics.lostMs / 1_000,
    ),
    single(
      'dragoman_echo_frames_masked_total',
      'Frames replaced with silence for the service because they contained an echo of what the participant heard.',
      () => metrics.echoFramesMasked,
    ),
  ]
}

/** Metrics of utterances and how late listeners hear them. */
function translationMetrics({ metrics }: Relay): Metric[] {
  return [
    single('dragoman_utterances_total', 'Translated utterances with audio.', () => metrics.utterances),
    single(
      'dragoman_utterances_heard_total',
      'Utterances confirmed as played, by listener.',
      () => metrics.utterancesHeard,
    ),
    single(
      'dragoman_utterances_dropped_total',
      'Utterances dropped before they were played, by listener.',
      () => metrics.utterancesDropped,
    ),
    single(
      'dragoman_utterances_echoed_total',
      'Utterances dropped because they were an echo of what the participant heard.',
      () => metrics.utterancesEchoed,
    ),
    single(
      'dragoman_utterances_voiceless_total',
      'Utterances received as text only although audio was requested.',
      () => metrics.utterancesVoiceless,
    ),
    single(
      'dragoman_translations_starved_total',
      'Times that a translation ran out of audio during an utterance.',
      () => metrics.starved,
    ),
    single(
      'dragoman_pauses_trimmed_seconds_total',
      'Time gained by trimming pauses of late translations, over all listeners.',
      () => metrics.pausesTrimmedMs / 1_000,
    ),
    single(
      'dragoman_speech_time_compressed_seconds_total',
      'Time gained by playing late translations faster.',
      () => metrics.timeCompressedMs / 1_000,
    ),
    single(
      'dragoman_translation_lag_largest_seconds',
      'Maximum current lag of a translation.',
      () => metrics.lagNowMs / 1_000,
    ),
    histogram(
      'dragoman_translation_lag_seconds',
      'Lag of translations, sampled once per second and listener.',
      [],
      LAG,
      () => [[[], inSeconds(metrics.lagMs, LAG)]],
    ),
    histogram(
      'dragoman_speech_to_translation_seconds',
      'Time from the end of speech to the first translated frame, by listener.',
      [],
      LATENCY,
      () => [[[], inSeconds(metrics.speechToTranslationMs, LATENCY)]],
    ),
    histogram(
      'dragoman_ear_voice_span_seconds',
      'Time from a word to the confirmed playout of its translation, of speech that is translated while it is spoken.',
      ['from', 'to'],
      LATENCY,
      () =>
        Array.from(
          metrics.earVoiceSpansMs.values(),
          ({ pair, spans }) => [[...pair], inSeconds(spans, LATENCY)] as const,
        ),
    ),
    histogram('dragoman_stage_seconds', 'Duration of each stage of an utterance.', ['stage'], STAGE, () =>
      STAGES.map(stage => [[stage], inSeconds(metrics.stagesMs[stage], STAGE)] as const),
    ),
  ]
}

function listenersByLanguage(relay: Relay): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { audiences } of relay.rooms.values())
    for (const { language, listeners } of audiences)
      counts.set(language, (counts.get(language) ?? 0) + listeners)
  return counts
}

function byChannel(relay: Relay): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { participants } of relay.rooms.values())
    for (const { channel } of participants.values()) counts.set(channel, (counts.get(channel) ?? 0) + 1)
  return counts
}
