import type { CaptionDeskStats } from '../captions/caption-desk.ts'
import type { TranscriptStats } from '../transcript/transcripts.ts'
import type { ReceiverStats } from '../webhooks-out/receiver.ts'
import { type Family, type FieldTable, fieldFamilies } from './family.ts'

const WEBHOOKS: FieldTable<ReceiverStats> = {
  waiting: ['dragoman_webhooks_waiting', 'Events that wait for a receiver, or are being sent to it.'],
  delivered: ['dragoman_webhooks_delivered_total', 'Events that a receiver took.'],
  failures: ['dragoman_webhooks_failed_attempts_total', 'Attempts to tell a receiver that failed.'],
  givenUp: ['dragoman_webhooks_given_up_total', 'Events given up after the last attempt.'],
  dropped: ['dragoman_webhooks_dropped_total', 'Events dropped since too many waited.'],
}

const CAPTIONS: FieldTable<CaptionDeskStats> = {
  readers: ['dragoman_caption_readers', 'Readers of captions now.'],
  cutOff: ['dragoman_caption_readers_cut_off_total', 'Readers of captions cut off since they did not read.'],
  refused: [
    'dragoman_caption_readers_refused_total',
    'Readers of captions turned away since there were too many.',
  ],
}

const TRANSCRIPTS: FieldTable<TranscriptStats> = {
  live: ['dragoman_transcripts_live', 'Transcripts of rooms that live.'],
  kept: ['dragoman_transcripts_kept', 'Transcripts kept of rooms that have ended.'],
  failed: ['dragoman_transcripts_failed_total', 'Times that a transcript could not be written.'],
  evicted: [
    'dragoman_transcripts_evicted_total',
    'Transcripts deleted before their time since there were too many.',
  ],
}

export interface FloorSources {
  readonly webhooks: { readonly stats: readonly ReceiverStats[] }
  readonly desk: { readonly stats: CaptionDeskStats }
  readonly transcripts: { readonly stats: TranscriptStats }
}

/** Webhooks out, readers of captions, and transcripts. */
export function floorFamilies({ webhooks, desk, transcripts }: FloorSources): Family[] {
  return [
    ...fieldFamilies<ReceiverStats>(WEBHOOKS, ['receiver'], () =>
      webhooks.stats.map(each => [[each.name], each] as const),
    ),
    ...fieldFamilies<CaptionDeskStats>(CAPTIONS, [], () => [[[], desk.stats]]),
    ...fieldFamilies<TranscriptStats>(TRANSCRIPTS, [], () => [[[], transcripts.stats]]),
  ]
}
