import { SpeakerLeg, type SpeakerLegOptions } from '../voice/speaker-leg.ts'

/** A speaker who leaves the channel and comes back soon is the same party: every leg of theirs belongs to one call. */
export class ReturningSpeaker extends SpeakerLeg {
  readonly call: string

  constructor(call: string, options: SpeakerLegOptions) {
    super(options)
    this.call = call
  }
}
