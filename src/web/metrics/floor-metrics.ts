import type { CaptionDeskStats } from '../captions/caption-desk.ts'
import type { TranscriptStats } from '../transcripts/transcripts.ts'
import type { ReceiverStats } from '../webhooks/receiver.ts'
import { type Family, type FieldTable, fieldFamilies } from './family.ts'

const WEBHOOKS: FieldTable<ReceiverStats> = {
  waiting: ['dragoman_webhooks_waiting', 'Events queued for a receiver, or being sent to it.'],
  delivered: ['dragoman_webhooks_delivered_total', 'Events delivered to receivers.'],
  failures: ['dragoman_webhooks_failed_attempts_total', 'Failed delivery attempts.'],
  givenUp: ['dragoman_webhooks_given_up_total', 'Events dropped after the last attempt.'],
  dropped: ['dragoman_webhooks_dropped_total', 'Events dropped because the queue was full.'],
}

const CAPTIONS: FieldTable<CaptionDeskStats> = {
  readers: ['dragoman_caption_readers', 'Connected caption readers.'],
  cutOff: [
    'dragoman_caption_readers_cut_off_total',
    'Caption readers disconnected because they did not read.',
  ],
  refused: [
    'dragoman_caption_readers_refused_total',
    'Caption readers rejected because there were too many.',
  ],
}

const TRANSCRIPTS: FieldTable<TranscriptStats> = {
  live: ['dragoman_transcripts_live', 'Transcripts of open rooms.'],
  kept: ['dragoman_transcripts_kept', 'Stored transcripts of ended rooms.'],
  failed: ['dragoman_transcripts_failed_total', 'Transcripts that could not be written.'],
  evicted: ['dragoman_transcripts_evicted_total', 'Transcripts deleted early because there were too many.'],
}

export interface FloorSources {
  readonly webhooks: { readonly stats: readonly ReceiverStats[] }
  readonly desk: { readonly stats: CaptionDeskStats }
  readonly transcripts: { readonly stats: TranscriptStats }
}

/** Metrics of webhooks, caption readers and transcripts. */
export function floorFamilies({ webhooks, desk, transcripts }: FloorSources): Family[] {
  return [
    ...fieldFamilies<ReceiverStats>(WEBHOOKS, ['receiver'], () =>
      webhooks.stats.map(each => [[each.name], each] as const),
    ),
    ...fieldFamilies<CaptionDeskStats>(CAPTIONS, [], () => [[[], desk.stats]]),
    ...fieldFamilies<TranscriptStats>(TRANSCRIPTS, [], () => [[[], transcripts.stats]]),
  ]
}
