/** Names of the service's engines that serve instead of preferred ones, if reported, by their work. */
export interface StandInNames {
  readonly transcription?: string
  readonly translation?: string
  readonly synthesis?: string
  /** From speech to speech. */
  readonly interpretation?: string
}

/**
 * What a result of the service says to readers beside its texts; every caption has it. A new field belongs here:
 * `service/client/result-reader.ts` reads it, and `web/captions/page/caption.ts`, which must read each, hands it to
 * `caption-list.ts` (of one caption) or `reading.ts` (of the whole page) there.
 */
export interface ResultDetails {
  /** Engines of the service that served instead of preferred ones, if it reports them. */
  readonly standIns?: StandInNames | undefined
}

/** Returns the details of a result. */
export function resultDetails({ standIns }: ResultDetails): ResultDetails {
  return { standIns }
}
