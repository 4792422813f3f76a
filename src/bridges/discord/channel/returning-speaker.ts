import { SpeakerLeg, type SpeakerLegOptions } from '../voice/speaker-leg.ts'

/** A speaker who leaves the channel and soon rejoins is the same participant: all their legs belong to one call. */
export class ReturningSpeaker extends SpeakerLeg {
  readonly call: string

  constructor(call: string, options: SpeakerLegOptions) {
    super(options)
    this.call = call
  }
}
