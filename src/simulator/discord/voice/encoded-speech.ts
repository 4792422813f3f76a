import { type SayOptions, Speech, type SpeechPacket, type SpeechSource } from './speech.ts'

/**
 * Speech that is encoded once and shared, at once or repeatedly: encoding is most of the cost of a scripted user.
 * `user.say(encoded)` accepts it instead of samples.
 */
export class EncodedSpeech {
  readonly packets: readonly SpeechPacket[]
  readonly #pace: number

  /** `pcm` is 16 kHz mono. Takes about 25 ms of CPU for each second of it. */
  constructor(pcm: Int16Array, options: SayOptions = {}) {
    const speech = new Speech(pcm, options)
    const packets: SpeechPacket[] = []
    for (let packet = speech.next(); packet; packet = speech.next()) packets.push(packet)
    this.packets = packets
    this.#pace = speech.pace
  }

  /** Starts from its first packet. */
  begin(): SpeechSource {
    const { packets } = this
    let at = 0
    return {
      pace: this.#pace,
      get done() {
        return at >= packets.length
      },
      next: () => packets[at++],
    }
  }
}
