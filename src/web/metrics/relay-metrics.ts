import { STAGES } from '../../core/model/latency-stages.ts'
import type { RelayMetrics } from '../../core/model/relay-metrics.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { EventTally } from './event-counters.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  histogramFamily,
  labelled,
  MS,
  single,
} from './metric-family.ts'

const COUNTED: FieldTable<RelayMetrics> = {
  legsAdmitted: [
    'dragoman_legs_admitted_total',
    'Legs that joined, including those of reconnected participants.',
  ],
  legsEnded: ['dragoman_legs_ended_total', 'Legs that ended.'],
  legsRefused: ['dragoman_legs_rejected_total', 'Legs rejected because relay.maxLegs was reached.'],
  legsReturned: ['dragoman_legs_reconnected_total', 'Legs by which a disconnected participant reconnected.'],
  framesIn: ['dragoman_frames_received_total', '20 ms frames received from participants.'],
  keyFramesMasked: [
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
    'Translation sessions opened: one per speaker and target language.',
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
  servicesAwayNow: ['dragoman_services_unavailable', 'Services whose circuit breaker is open.'],
  sessionsWaitingNow: ['dragoman_sessions_waiting', 'Sessions waiting for a service.'],
  sessionsElsewhereNow: ['dragoman_sessions_on_fallback', 'Sessions on a fallback service.'],
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
  junkBytes: ['dragoman_mp3_invalid_bytes_total', 'Bytes of MP3 data that were not audio.'],
  trimmedMs: [
    'dragoman_pauses_trimmed_seconds_total',
    'Time gained by trimming pauses of late translations, over all listeners.',
    MS,
  ],
  hastenedMs: [
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

/** Bounds of histograms (s). */
const LATENCY = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30]
const STAGE = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10]
const LAG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const TICK = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

const CIRCUITS = ['closed', 'open', 'half-open'] as const

/** Metrics of the relay. */
export function relayFamilies(relay: Relay): Family[] {
  const { metrics } = relay
  return [
    single('dragoman_rooms', 'Open rooms.', () => relay.rooms.size),
    single('dragoman_legs', 'Legs in rooms.', () => relay.legs),
    labelled(
      'dragoman_participants',
      'Participants in rooms, including disconnected ones that can still reconnect.',
      ['channel'],
      () => Array.from(byChannel(relay), ([channel, count]) => [[channel], count] as const),
    ),
    single(
      'dragoman_sessions',
      'Open translation sessions.',
      () => metrics.sessionsOpened - metrics.sessionsEnded,
    ),
    single('dragoman_replay_fragments', 'Fragments of speech in replay buffers.', () => relay.fragmentsHeld),
    labelled(
      'dragoman_service_circuit',
      'State of the circuit breaker of each service, 0 being the primary: 1 for the current state.',
      ['service', 'state'],
      () =>
        relay.services.flatMap((now, place) =>
          CIRCUITS.map(state => [[`${place}`, state], state === now ? 1 : 0] as const),
        ),
    ),
    ...fieldFamilies<RelayMetrics>(COUNTED, [], () => [[[], metrics]]),
    histogramFamily(
      'dragoman_speech_to_translation_seconds',
      'Time from the end of speech to the first translated frame, by listener.',
      LATENCY,
      () => [[{}, metrics.speechToTranslationMs]],
    ),
    histogramFamily('dragoman_stage_seconds', 'Duration of each stage of an utterance.', STAGE, () =>
      STAGES.map(stage => [{ stage }, metrics.stagesMs[stage]] as const),
    ),
    histogramFamily(
      'dragoman_translation_lag_seconds',
      'Lag of translations, sampled once per second and listener.',
      LAG,
      () => [[{}, metrics.lagMs]],
    ),
    histogramFamily(
      'dragoman_tick_late_seconds',
      'Delay of the relay’s timer, which runs 50 times a second.',
      TICK,
      () => [[{}, metrics.tickLateMs]],
    ),
  ]
}

/** Metrics of observable events. */
export function eventFamilies(tally: EventTally): Family[] {
  return [
    labelled(
      'dragoman_participants_joined_total',
      'Participants that joined a room.',
      ['channel'],
      () => tally.joined.all,
    ),
    labelled(
      'dragoman_participants_left_total',
      'Participants that left permanently, by kind of end.',
      ['channel', 'reason'],
      () => tally.left.all,
    ),
    labelled(
      'dragoman_failures_total',
      'Participants whose end was a failure, by code.',
      ['code'],
      () => tally.failures.all,
    ),
    labelled(
      'dragoman_captions_total',
      'Final captions, by spoken and translated language.',
      ['from', 'to'],
      () => tally.captions.all,
    ),
    labelled('dragoman_key_commands_total', 'Key commands, by action.', ['action'], () => tally.commands.all),
    labelled('dragoman_notices_total', 'Notices, by progress.', ['stage'], () => tally.notices.all),
    labelled('dragoman_dials_total', 'Outbound calls, by outcome.', ['outcome'], () => tally.dials.all),
    labelled(
      'dragoman_recording_changes_total',
      'State changes of recordings, by new state.',
      ['state'],
      () => tally.recordings.all,
    ),
    single('dragoman_recordings', 'Recordings announced, in progress or paused.', () => tally.recordingsNow),
    single('dragoman_dtmf_total', 'DTMF keys pressed.', () => tally.keysPressed),
    single(
      'dragoman_listener_outages_total',
      'Times that a listener heard originals because translation was unavailable.',
      () => tally.outages,
    ),
    single(
      'dragoman_listener_outage_seconds_total',
      'Total duration of the ended outages.',
      () => tally.outageMs * MS,
    ),
  ]
}

function byChannel(relay: Relay): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { participants } of relay.rooms.values())
    for (const { channel } of participants.values()) counts.set(channel, (counts.get(channel) ?? 0) + 1)
  return counts
}
