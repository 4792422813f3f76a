import { after, type Clock } from '../core/clock.ts'
import type { Participant } from '../core/participant.ts'
import type { Sound } from '../core/sound.ts'
import { durationMs } from '../transcode/pcm.ts'

/** So often the notice is played to a party that is there and has not heard it to its end. */
const TRIES = 3
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

  /**
   * Plays `notice`, again where it was cut off; settles when it was heard, or cannot be: then the party stays out of the
   * recording.
   */
  async tell(participant: Participant, notice: Promise<Sound>): Promise<boolean> {
    const sound = await notice
    for (let tries = 0; tries < TRIES && participant.host; tries++)
      if (await this.#hears(participant, sound)) {
        this.#told.add(participant.id)
        return true
      }
    return false
  }

  async #hears(participant: Participant, sound: Sound): Promise<boolean> {
    const announcement = participant.announce(sound, { as: 'notice' })
    const enough = Promise.withResolvers<'heard'>()
    const most = durationMs(sound.pcm.length) + UNCONFIRMED_MS
    using _timer = after(this.#clock, most, () => enough.resolve('heard'))
    return (await Promise.race([announcement.ended, enough.promise])) === 'heard'
  }
}
