import type { RelayMetrics } from '../../core/metrics.ts'
import type { Relay } from '../../core/relay.ts'
import { STAGES } from '../../core/stages.ts'
import type { EventTally } from './event-tally.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  histogramFamily,
  labelled,
  MS,
  single,
} from './family.ts'

const COUNTED: FieldTable<RelayMetrics> = {
  legsAdmitted: [
    'dragoman_legs_admitted_total',
    'Legs that came in, those by which somebody came back included.',
  ],
  legsEnded: ['dragoman_legs_ended_total', 'Legs that ended.'],
  legsRefused: ['dragoman_legs_refused_total', 'Legs turned away since relay.maxLegs was reached.'],
  legsReturned: ['dragoman_legs_returned_total', 'Legs by which a party came back whose leg had broken.'],
  framesIn: ['dragoman_frames_received_total', 'Frames of 20 ms from parties.'],
  keyFramesMasked: [
    'dragoman_key_frames_masked_total',
    'Frames with the tone of a key, for which the service heard silence.',
  ],
  echoFramesMasked: [
    'dragoman_echo_frames_masked_total',
    'Frames with the echo of what the party was played, for which the service heard silence.',
  ],
  utterancesEchoed: [
    'dragoman_utterances_echoed_total',
    'Utterances dropped as they were the echo of what the party was played.',
  ],
  framesOut: ['dragoman_frames_sent_total', 'Frames of 20 ms to parties.'],
  sessionsOpened: [
    'dragoman_sessions_opened_total',
    'Translation sessions opened: one for each speaker and language wanted.',
  ],
  sessionsEnded: ['dragoman_sessions_ended_total', 'Translation sessions that ended.'],
  sessionsDropped: [
    'dragoman_session_connections_lost_total',
    'Connections of sessions to a service that were lost or did not come.',
  ],
  sessionsRenewed: [
    'dragoman_session_connections_renewed_total',
    'Connections of sessions replaced while they still served.',
  ],
  circuitsOpened: [
    'dragoman_service_circuits_opened_total',
    'Times that the breaker before a service opened.',
  ],
  probes: [
    'dragoman_service_probes_total',
    'Connections let through an open breaker to see whether the service is back.',
  ],
  servicesAwayNow: ['dragoman_services_away', 'Services whose breaker is open now.'],
  sessionsWaitingNow: ['dragoman_sessions_waiting', 'Sessions that wait for a service now.'],
  sessionsElsewhereNow: ['dragoman_sessions_elsewhere', 'Sessions at a service that stands in, now.'],
  fragmentsSent: ['dragoman_fragments_sent_total', 'Fragments of speech sent to services.'],
  fragmentsReplayed: [
    'dragoman_fragments_replayed_total',
    'Fragments of speech sent again after a connection was lost.',
  ],
  lostMs: [
    'dragoman_speech_lost_seconds_total',
    'Speech that left the replay ring before a service took it.',
    MS,
  ],
  utterances: ['dragoman_utterances_total', 'Translated utterances whose voice came.'],
  utterancesHeard: ['dragoman_utterances_heard_total', 'Utterances confirmed as heard, by listener.'],
  utterancesDropped: ['dragoman_utterances_dropped_total', 'Utterances dropped unheard, by listener.'],
  utterancesVoiceless: [
    'dragoman_utterances_voiceless_total',
    'Utterances that came as text alone where a voice was wanted.',
  ],
  resultsRepeated: [
    'dragoman_voice_pieces_repeated_total',
    'Pieces of a voice that came twice and were heard once.',
  ],
  interruptions: [
    'dragoman_interruptions_total',
    'Times that a listener who spoke dropped what they had not heard.',
  ],
  starved: ['dragoman_translations_starved_total', 'Times that a translation ran dry in mid utterance.'],
  originalFramesDropped: [
    'dragoman_original_frames_dropped_total',
    'Frames of original voices left out to stay close to live.',
  ],
  congestedFrames: [
    'dragoman_congested_frames_total',
    'Frames not sent because the far side reads too slowly.',
  ],
  faultsContained: [
    'dragoman_faults_contained_total',
    'Exceptions inside that cost one leg, session, utterance or onlooker, and nothing else; each is in the log once.',
  ],
  junkBytes: ['dragoman_junk_bytes_total', 'Bytes of mp3 that were no audio.'],
  trimmedMs: [
    'dragoman_pauses_trimmed_seconds_total',
    'Time won by trimming pauses of late translations, over all listeners.',
    MS,
  ],
  hastenedMs: ['dragoman_speech_hastened_seconds_total', 'Time won by playing late translations faster.', MS],
  lagNowMs: ['dragoman_translation_lag_largest_seconds', 'The largest lag of a translation now.', MS],
  lateNow: [
    'dragoman_translations_late',
    'Translations that are over half a second late for a listener now.',
  ],
}

/** Bounds of histograms (s). */
const LATENCY = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30]
const STAGE = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10]
const LAG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const TICK = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

const CIRCUITS = ['closed', 'open', 'half-open'] as const

/** What the relay knows and counts. */
export function relayFamilies(relay: Relay): Family[] {
  const { metrics } = relay
  return [
    single('dragoman_rooms', 'Rooms open now.', () => relay.rooms.size),
    single('dragoman_legs', 'Legs in rooms now.', () => relay.legs),
    labelled(
      'dragoman_participants',
      'Parties in rooms now, those who are waited for included.',
      ['channel'],
      () => Array.from(byChannel(relay), ([channel, count]) => [[channel], count] as const),
    ),
    single(
      'dragoman_sessions',
      'Translation sessions open now.',
      () => metrics.sessionsOpened - metrics.sessionsEnded,
    ),
    single(
      'dragoman_fragments_held',
      'Fragments of speech kept for the service now.',
      () => relay.fragmentsHeld,
    ),
    labelled(
      'dragoman_service_circuit',
      'State of the breaker before each service, 0 being the one that is wanted: 1 for the state that it is in.',
      ['service', 'state'],
      () =>
        relay.services.flatMap((now, place) =>
          CIRCUITS.map(state => [[`${place}`, state], state === now ? 1 : 0] as const),
        ),
    ),
    ...fieldFamilies<RelayMetrics>(COUNTED, [], () => [[[], metrics]]),
    histogramFamily(
      'dragoman_speech_to_translation_seconds',
      'From the end of speech to the first translated frame, by listener.',
      LATENCY,
      () => [[{}, metrics.speechToTranslationMs]],
    ),
    histogramFamily(
      'dragoman_stage_seconds',
      'Where that time went: what each stage of an utterance took.',
      STAGE,
      () => STAGES.map(stage => [{ stage }, metrics.stagesMs[stage]] as const),
    ),
    histogramFamily(
      'dragoman_translation_lag_seconds',
      'By how much later than possible translations are heard, once a second and listener.',
      LAG,
      () => [[{}, metrics.lagMs]],
    ),
    histogramFamily(
      'dragoman_tick_late_seconds',
      'How late the relay moves everybody, 50 times a second.',
      TICK,
      () => [[{}, metrics.tickLateMs]],
    ),
  ]
}

/** What happened that onlookers see. */
export function eventFamilies(tally: EventTally): Family[] {
  return [
    labelled(
      'dragoman_participants_joined_total',
      'Parties that came into a room.',
      ['channel'],
      () => tally.joined.all,
    ),
    labelled(
      'dragoman_participants_left_total',
      'Parties that left for good, by the kind of end.',
      ['channel', 'reason'],
      () => tally.left.all,
    ),
    labelled(
      'dragoman_failures_total',
      'Parties whose end was a failure, by its code.',
      ['code'],
      () => tally.failures.all,
    ),
    labelled(
      'dragoman_captions_total',
      'Final captions, by language spoken and wanted.',
      ['from', 'to'],
      () => tally.captions.all,
    ),
    labelled(
      'dragoman_key_commands_total',
      'What parties asked for by keys.',
      ['action'],
      () => tally.commands.all,
    ),
    labelled(
      'dragoman_notices_total',
      'Sounds of the system, by how far they came.',
      ['stage'],
      () => tally.notices.all,
    ),
    labelled(
      'dragoman_dials_total',
      'Calls placed, by what came of them.',
      ['outcome'],
      () => tally.dials.all,
    ),
    labelled(
      'dragoman_recording_changes_total',
      'Changes of recordings, by the state that they came to.',
      ['state'],
      () => tally.recordings.all,
    ),
    single('dragoman_recordings', 'Recordings announced, going on or paused now.', () => tally.recordingsNow),
    single('dragoman_keys_pressed_total', 'Keys of telephones.', () => tally.keysPressed),
    single(
      'dragoman_listener_outages_total',
      'Times that a listener heard originals since translation was away.',
      () => tally.outages,
    ),
    single(
      'dragoman_listener_outage_seconds_total',
      'How long, of those that are over.',
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
