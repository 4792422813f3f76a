import { MS } from '../../common/metric-field.ts'
import { STAGES } from '../../core/model/latency-stages.ts'
import { RELAY_METRICS, type RelayMetrics } from '../../core/model/relay-metrics.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { EventTally } from './event-counters.ts'
import { type Family, fieldFamilies, histogramFamily, labeled, single } from './metric-family.ts'

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
    labeled(
      'dragoman_participants',
      'Participants in rooms, including disconnected participants who can still reconnect.',
      ['channel'],
      () => Array.from(byChannel(relay), ([channel, count]) => [[channel], count] as const),
    ),
    labeled(
      'dragoman_receptions',
      'Pairs of a speaker and a listener, by what the listener gets: translated, stand-in, original (same language), unavailable, nothing (muted).',
      ['gets'],
      () => Object.entries(relay.receptions).map(([gets, count]) => [[gets], count] as const),
    ),
    single(
      'dragoman_sessions',
      'Open translation sessions: of speakers who speak or spoke within the last minute.',
      () => metrics.sessionsOpened - metrics.sessionsEnded,
    ),
    single(
      'dragoman_replay_fragments',
      'Fragments of speech in replay buffers.',
      () => relay.replayFragments,
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
    ...fieldFamilies<RelayMetrics>(RELAY_METRICS, [], () => [[[], metrics]]),
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
    labeled(
      'dragoman_participants_joined_total',
      'Participants that joined a room.',
      ['channel'],
      () => tally.joined.all,
    ),
    labeled(
      'dragoman_participants_left_total',
      'Participants that left permanently, by kind of end.',
      ['channel', 'reason'],
      () => tally.left.all,
    ),
    labeled(
      'dragoman_failures_total',
      'Participants whose end was a failure, by code.',
      ['code'],
      () => tally.failures.all,
    ),
    labeled(
      'dragoman_captions_total',
      'Final captions, by spoken and translated language.',
      ['from', 'to'],
      () => tally.captions.all,
    ),
    labeled('dragoman_key_commands_total', 'Key commands, by action.', ['action'], () => tally.commands.all),
    labeled('dragoman_notices_total', 'Notices, by progress.', ['stage'], () => tally.notices.all),
    labeled('dragoman_dials_total', 'Outbound calls, by outcome.', ['outcome'], () => tally.dials.all),
    labeled(
      'dragoman_recording_changes_total',
      'State changes of recordings, by new state.',
      ['state'],
      () => tally.recordings.all,
    ),
    single('dragoman_recordings', 'Recordings announced, in progress or paused.', () => tally.recordingsNow),
    single('dragoman_dtmf_total', 'DTMF keys pressed.', () => tally.dtmfKeys),
    single(
      'dragoman_listener_outages_total',
      'Times that a speaker spoke without being translated for a listener who needs it.',
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
