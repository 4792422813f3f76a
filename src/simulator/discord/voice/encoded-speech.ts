import { type SayOptions, Speech, type SpeechPacket, type SpeechSource } from './speech.ts'

/**
 * Something to say that is encoded once and said by many, at once or again: encoding is most of what a scripted user
 * costs. `user.say(encoded)` takes it in place of samples.
 */
export class EncodedSpeech {
  readonly packets: readonly SpeechPacket[]
  readonly #pace: number

  /** `pcm` is 16 kHz mono. Takes some 25 ms of CPU for each second of it. */
  constructor(pcm: Int16Array, options: SayOptions = {}) {
    const speech = new Speech(pcm, options)
    const packets: SpeechPacket[] = []
    for (let packet = speech.next(); packet; packet = speech.next()) packets.push(packet)
    this.packets = packets
    this.#pace = speech.pace
  }

  /** From its first packet on. */
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
