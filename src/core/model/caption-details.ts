/** Names of the service's engines that serve instead of preferred ones, if reported, by their work. */
export interface StandInNames {
  readonly transcription?: string
  readonly translation?: string
  readonly synthesis?: string
  /** From speech to speech. */
  readonly interpretation?: string
}

/**
 * What a caption says besides its texts: fields of the service's result that come with them. For a new one, add it here,
 * read it in `service/client/result-reader.ts` and `web/captions/page/caption.ts`, and show it in `caption-list.ts` (with
 * its caption) or `reading.ts` (once for the page) beside that; its words go into `messages/<language>/captions.ts`. A
 * detail that comes later than the texts is not reported. Transcripts have only texts.
 */
export interface CaptionDetails {
  /** Engines of the service that served instead of preferred ones, if it reports them. */
  readonly standIns?: StandInNames | undefined
}

/** Returns the details of a result. */
export function captionDetails({ standIns }: CaptionDetails): CaptionDetails {
  return { standIns } satisfies Record<keyof CaptionDetails, unknown>
}
