import type { DialCounters, LegCounters, TwilioBridge, TwilioDialler } from '../../bridges/twilio/index.ts'
import type { RationedDialler } from '../../core/rationed-dialler.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'
import type { GuessLimit } from '../guess-limit.ts'
import type { NumberLimits } from '../number-limits.ts'

const LEG: FieldTable<LegCounters> = {
  messagesIn: ['dragoman_twilio_messages_received_total', 'Messages on media streams, of any kind.'],
  mediaIn: ['dragoman_twilio_media_received_total', 'Media messages with the voices of parties.'],
  framesIn: ['dragoman_twilio_frames_received_total', 'Frames of 20 ms made of them, silence included.'],
  gapsFilledMs: [
    'dragoman_twilio_gaps_filled_seconds_total',
    'Holes in the media clock filled with silence.',
    MS,
  ],
  pauses: ['dragoman_twilio_clock_jumps_total', 'Jumps of the media clock taken as a new beginning.'],
  duplicates: ['dragoman_twilio_media_duplicate_total', 'Media that had come before, in whole or in part.'],
  backlogDroppedMs: [
    'dragoman_twilio_backlog_dropped_seconds_total',
    'Audio that a stall had made too old when it came.',
    MS,
  ],
  silenceFedMs: ['dragoman_twilio_silence_fed_seconds_total', 'Silence fed because no media came.', MS],
  badPayloads: ['dragoman_twilio_bad_payloads_total', 'Media whose payload was not base64.'],
  badMessages: ['dragoman_twilio_bad_messages_total', 'Messages that are not what they should be.'],
  ignored: [
    'dragoman_twilio_ignored_messages_total',
    'Messages of unknown kind, of another stream, or a second start.',
  ],
  floodDropped: ['dragoman_twilio_flood_dropped_total', 'Messages dropped because too many came.'],
  dtmf: ['dragoman_twilio_keys_total', 'Keys pressed.'],
  dtmfDropped: ['dragoman_twilio_keys_dropped_total', 'Keys beyond 20 a second.'],
  mediaOut: ['dragoman_twilio_media_sent_total', 'Media messages sent.'],
  sentMs: ['dragoman_twilio_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_twilio_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_twilio_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_twilio_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  clears: ['dragoman_twilio_clears_total', 'Times that what was queued at Twilio was cleared.'],
}

const BRIDGE: FieldTable<Pick<TwilioBridge, 'replaced' | 'heldOff' | 'expected'>> = {
  replaced: [
    'dragoman_twilio_streams_replaced_total',
    'Media streams that took the place of one that was there.',
  ],
  heldOff: [
    'dragoman_twilio_requests_held_off_total',
    'Requests told to wait, since their call has a stream.',
  ],
  expected: ['dragoman_twilio_streams_expected', 'Calls whose stream is due now.'],
}

const DIALS: FieldTable<DialCounters> = {
  dialled: ['dragoman_twilio_dialled_total', 'Calls placed.'],
  refused: [
    'dragoman_twilio_dial_refused_total',
    'Calls not placed: not allowed, too many under way, or a ceiling of the day.',
  ],
  spent: ['dragoman_twilio_dial_spent_total', 'Of these, for a ceiling of the day: minutes or money.'],
  cut: ['dragoman_twilio_dial_cut_total', 'Calls hung up for a ceiling of the day.'],
  answered: ['dragoman_twilio_dial_answered_total', 'Calls placed that somebody answered.'],
  busy: ['dragoman_twilio_dial_busy_total', 'Calls placed that were busy.'],
  noAnswer: ['dragoman_twilio_dial_no_answer_total', 'Calls placed that nobody answered.'],
  voicemail: ['dragoman_twilio_dial_voicemail_total', 'Calls placed that a machine answered.'],
  cancelled: ['dragoman_twilio_dial_cancelled_total', 'Calls placed that were called off before an answer.'],
  failed: ['dragoman_twilio_dial_failed_total', 'Calls placed that failed.'],
}

export interface TelephoneSources {
  readonly twilio: () => TwilioBridge
  readonly dials: DialCounters | undefined
  /** What calls out have cost today. */
  readonly usage: Pick<TwilioDialler, 'minutesToday' | 'spentToday'> | undefined
  readonly numbers: Pick<NumberLimits, 'turnedAway'>
  readonly ration: Pick<RationedDialler, 'refused'> | undefined
  readonly guesses: GuessLimit
}

/** Twilio's media streams, calls placed there, and guesses at the codes of rooms. */
export function telephoneFamilies({
  twilio,
  dials,
  usage,
  numbers,
  ration,
  guesses,
}: TelephoneSources): Family[] {
  return [
    single('dragoman_twilio_streams', 'Media streams now.', () => twilio().legs.size),
    labelled(
      'dragoman_twilio_streams_refused_total',
      'Media streams turned away before they became legs, by cause.',
      ['cause'],
      () => Array.from(twilio().refused, ([cause, count]) => [[cause], count] as const),
    ),
    ...fieldFamilies(BRIDGE, [], () => [[[], twilio()]]),
    ...fieldFamilies<LegCounters>(LEG, [], () => [[[], twilio().counters()]]),
    ...fieldFamilies<DialCounters>(DIALS, [], () => (dials ? [[[], dials]] : [])),
    single(
      'dragoman_dials_rationed_total',
      'Calls not placed since too many were, in a minute or to one destination.',
      () => ration?.refused,
    ),
    single(
      'dragoman_twilio_dial_minutes_today',
      'Minutes of calls out today (UTC), those that go on included.',
      () => usage?.minutesToday,
    ),
    single(
      'dragoman_twilio_dial_spend_today',
      'What they have cost by twilio.outbound.prices, in the currency of these.',
      () => usage?.spentToday,
    ),
    labelled(
      'dragoman_number_refused_total',
      'Callers turned away since their number has as many calls or minutes as it may have.',
      ['limit'],
      () => Object.entries(numbers.turnedAway).map(([limit, count]) => [[limit], count] as const),
    ),
    single('dragoman_room_codes_wrong_total', 'Wrong codes of rooms.', () => guesses.wrongCodes),
    single(
      'dragoman_room_codes_refused_total',
      'Times that somebody was not let try a code.',
      () => guesses.refused,
    ),
  ]
}
