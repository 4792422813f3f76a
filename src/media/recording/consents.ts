import { after, type Clock } from '../../common/clock.ts'
import type { Sound } from '../../core/model/sound.ts'
import type { Participant } from '../../core/room/participant.ts'
import { durationMs } from '../../transcode/pcm.ts'

/** Number of times that the notice is played to a connected participant who has not heard it completely. */
const TRIES = 3
/** If the peer does not confirm playback, the notice counts as played this long after its end (ms). */
const UNCONFIRMED_MS = 5_000
/** Maximum delay of sending, in addition to the notice’s duration, while a participant is disconnected (ms). */
const UNSENT_MS = 15_000

/** Tracks who has heard the recording notice. Other voices are not recorded. */
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
   * Plays `notice`, again if it was cut off. Settles when it was played, or cannot be: the participant is then left out
   * of the recording.
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
    // Not from the request: the notice may wait for another one, or for a disconnected participant.
    void announcement.sent.then(() => {
      if (!timers.disposed) timers.use(after(this.#clock, UNCONFIRMED_MS, () => believed.resolve('heard')))
    })
    return (await Promise.race([announcement.ended, believed.promise])) === 'heard'
  }
}
