import { after, type Clock } from '../core/clock.ts'
import type { Participant } from '../core/participant.ts'
import type { Sound } from '../core/sound.ts'
import { durationMs } from '../transcode/pcm.ts'

/** So often the notice is played to a party that is there and has not heard it to its end. */
const TRIES = 3
/** A far side that does not confirm what it was sent is believed this long after the end (ms). */
const UNCONFIRMED_MS = 5_000
/** What cannot be sent for so long on top of its length, as the party is away, is not waited for (ms). */
const UNSENT_MS = 15_000

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
    const believed = Promise.withResolvers<'heard'>()
    using timers = new DisposableStack()
    const lengthMs = durationMs(sound.pcm.length)
    timers.use(after(this.#clock, lengthMs + UNSENT_MS, () => announcement.stop()))
    // Not from when it was asked for: it may wait behind another one, or for a party that is away.
    void announcement.sent.then(() => {
      if (!timers.disposed) timers.use(after(this.#clock, UNCONFIRMED_MS, () => believed.resolve('heard')))
    })
    return (await Promise.race([announcement.ended, believed.promise])) === 'heard'
  }
}
