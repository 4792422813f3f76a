import type { NumberLimits } from '../../bridges/telephony/number-limits.ts'
import type {
  DialCounters,
  LegCounters as StreamLegCounters,
  TwilioBridge,
  TwilioDialler,
} from '../../bridges/twilio/index.ts'
import type { GuessLimit } from '../../core/calls/guess-limit.ts'
import type { RationedDialler } from '../../core/calls/rationed-dialler.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'

const STREAM_LEG: FieldTable<StreamLegCounters> = {
  messagesIn: ['dragoman_twilio_messages_received_total', 'Messages received on media streams.'],
  mediaIn: ['dragoman_twilio_media_received_total', 'Media messages received.'],
  framesIn: ['dragoman_twilio_frames_received_total', '20 ms frames built from them, including silence.'],
  gapsFilledMs: [
    'dragoman_twilio_gaps_filled_seconds_total',
    'Gaps in the media clock filled with silence.',
    MS,
  ],
  pauses: ['dragoman_twilio_clock_jumps_total', 'Jumps of the media clock treated as a restart.'],
  duplicates: ['dragoman_twilio_media_duplicate_total', 'Media received twice, in whole or in part.'],
  backlogDroppedMs: [
    'dragoman_twilio_backlog_dropped_seconds_total',
    'Audio dropped because it arrived too late after a stall.',
    MS,
  ],
  silenceFedMs: ['dragoman_twilio_silence_fed_seconds_total', 'Silence inserted while no media arrived.', MS],
  badPayloads: ['dragoman_twilio_bad_payloads_total', 'Media messages with an invalid base64 payload.'],
  badMessages: ['dragoman_twilio_bad_messages_total', 'Malformed messages.'],
  ignored: [
    'dragoman_twilio_ignored_messages_total',
    'Messages of an unknown kind or of another stream, and repeated start messages.',
  ],
  floodDropped: ['dragoman_twilio_flood_dropped_total', 'Messages dropped by the rate limit.'],
  dtmf: ['dragoman_twilio_keys_total', 'Keys pressed.'],
  dtmfDropped: ['dragoman_twilio_keys_dropped_total', 'Keys dropped above 20 per second.'],
  mediaOut: ['dragoman_twilio_media_sent_total', 'Media messages sent.'],
  sentMs: ['dragoman_twilio_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_twilio_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_twilio_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_twilio_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  clears: ['dragoman_twilio_clears_total', 'Times that the audio queued at Twilio was cleared.'],
}

const TELEPHONY_BRIDGE: FieldTable<Pick<TwilioBridge, 'replaced' | 'heldOff' | 'expected'>> = {
  replaced: [
    'dragoman_twilio_streams_replaced_total',
    'Media streams that replaced an earlier stream of the same call.',
  ],
  heldOff: [
    'dragoman_twilio_requests_held_off_total',
    'Requests deferred because their call still had a stream.',
  ],
  expected: ['dragoman_twilio_streams_expected', 'Calls whose stream is expected now.'],
}

const DIALS: FieldTable<DialCounters> = {
  dialled: ['dragoman_twilio_dialled_total', 'Calls placed.'],
  refused: [
    'dragoman_twilio_dial_refused_total',
    'Calls rejected before dialing: not allowed, too many in progress, or above a daily limit.',
  ],
  spent: ['dragoman_twilio_dial_spent_total', 'Calls rejected because of a daily limit of minutes or costs.'],
  cut: ['dragoman_twilio_dial_cut_total', 'Calls ended because of a daily limit.'],
  answered: ['dragoman_twilio_dial_answered_total', 'Outbound calls answered by a person.'],
  busy: ['dragoman_twilio_dial_busy_total', 'Outbound calls that were busy.'],
  noAnswer: ['dragoman_twilio_dial_no_answer_total', 'Outbound calls not answered.'],
  voicemail: ['dragoman_twilio_dial_voicemail_total', 'Outbound calls answered by a machine.'],
  cancelled: ['dragoman_twilio_dial_cancelled_total', 'Outbound calls canceled before an answer.'],
  failed: ['dragoman_twilio_dial_failed_total', 'Outbound calls that failed.'],
}

export interface TelephoneSources {
  readonly twilio: () => TwilioBridge
  readonly dials: DialCounters | undefined
  /** Costs of outbound calls today. */
  readonly usage: Pick<TwilioDialler, 'minutesToday' | 'spentToday'> | undefined
  readonly numbers: Pick<NumberLimits, 'turnedAway'>
  readonly ration: Pick<RationedDialler, 'refused'> | undefined
  readonly guesses: GuessLimit
}

/** Metrics of Twilio’s media streams, outbound calls, and guesses of room codes. */
export function telephoneFamilies({
  twilio,
  dials,
  usage,
  numbers,
  ration,
  guesses,
}: TelephoneSources): Family[] {
  return [
    single('dragoman_twilio_streams', 'Open media streams.', () => twilio().legs.size),
    labelled(
      'dragoman_twilio_streams_refused_total',
      'Media streams rejected before they became legs, by cause.',
      ['cause'],
      () => Array.from(twilio().refused, ([cause, count]) => [[cause], count] as const),
    ),
    ...fieldFamilies(TELEPHONY_BRIDGE, [], () => [[[], twilio()]]),
    ...fieldFamilies<StreamLegCounters>(STREAM_LEG, [], () => [[[], twilio().counters()]]),
    ...fieldFamilies<DialCounters>(DIALS, [], () => (dials ? [[[], dials]] : [])),
    single(
      'dragoman_dials_rationed_total',
      'Outbound calls rejected by the limits per minute and per destination.',
      () => ration?.refused,
    ),
    single(
      'dragoman_twilio_dial_minutes_today',
      'Minutes of outbound calls today (UTC), including calls in progress.',
      () => usage?.minutesToday,
    ),
    single(
      'dragoman_twilio_dial_spend_today',
      'Their cost according to twilio.outbound.prices, in the currency of the prices.',
      () => usage?.spentToday,
    ),
    labelled(
      'dragoman_number_refused_total',
      'Callers rejected because their number reached its limit of calls or minutes.',
      ['limit'],
      () => Object.entries(numbers.turnedAway).map(([limit, count]) => [[limit], count] as const),
    ),
    single('dragoman_room_codes_wrong_total', 'Wrong room codes.', () => guesses.wrongCodes),
    single(
      'dragoman_room_codes_refused_total',
      'Attempts to enter a room code rejected by the limit.',
      () => guesses.refused,
    ),
  ]
}
