import { after, type Clock } from '../core/clock.ts'
import type { Participant } from '../core/participant.ts'
import type { Sound } from '../core/sound.ts'
import { durationMs } from '../transcode/pcm.ts'

/** A far side that does not confirm what it played is believed this long after the end (ms). */
const UNCONFIRMED_MS = 5_000

/** Who has heard that they are recorded. Nobody else's voice is kept. */
export class Consents {
  readonly #clock: Clock
  readonly #told = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(participant: string): boolean {
    return this.#told.has(participant)
  }

  /** Plays `notice`; settles when it was heard, or cannot be: then the party stays out of the recording. */
  async tell(participant: Participant, notice: Promise<Sound>): Promise<boolean> {
    const sound = await notice
    const announcement = participant.announce(sound, { as: 'notice' })
    const enough = Promise.withResolvers<'heard'>()
    const most = durationMs(sound.pcm.length) + UNCONFIRMED_MS
    using _timer = after(this.#clock, most, () => enough.resolve('heard'))
    const heard = (await Promise.race([announcement.ended, enough.promise])) === 'heard'
    if (heard) this.#told.add(participant.id)
    return heard
  }
}
