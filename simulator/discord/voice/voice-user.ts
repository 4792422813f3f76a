import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { ScriptedMember } from './dave/members.ts'
import type { RtpHeader } from './rtp.ts'
import {
  type EncodedSpeech,
  OPUS_RATE,
  type SayOptions,
  SILENCE_FRAME,
  Speech,
  type SpeechPacket,
  type SpeechSource,
} from './speech.ts'
import type { VoiceFaults } from './voice-faults.ts'

export type { SayOptions } from './speech.ts'

/** Initial state of a user in a voice channel. */
export interface JoinOptions {
  /** RTP sequence number of the first packet (u16), for example to start just before the wrap. Default: any. */
  readonly firstSequence?: number
  /** RTP timestamp at the moment of joining (u32). Default: any. */
  readonly firstTimestamp?: number
}

export interface VoiceUserOptions extends JoinOptions {
  readonly userId: string
  readonly clock: Clock
  readonly random: () => number
  readonly faults: VoiceFaults
  readonly member: ScriptedMember
  readonly nextSsrc: () => number
  /** Settles when the group is as it should be. */
  readonly settled: () => Promise<void>
  readonly onSpeaking: (user: VoiceUser, flags: number) => void
  readonly onPacket: (
    user: VoiceUser,
    header: RtpHeader,
    frame: Buffer,
    extension: Buffer | undefined,
  ) => void
  readonly onLeft: (user: VoiceUser) => void
}

/** From op 5 to the first packet. */
const LEAD_MS = 20
/** Op 5: the microphone is open. */
const MICROPHONE = 1

interface Saying {
  readonly speech: SpeechSource
  readonly resolve: () => void
}

/** A scripted user of a call: a real client as far as a bot can tell. Created by the call, which owns it. */
export class VoiceUser {
  readonly userId: string
  /** Settles when the user's end-to-end encryption with everyone present works; at once without DAVE. Never rejects. */
  readonly joined: Promise<void>
  readonly #options: VoiceUserOptions
  readonly #queue: Saying[] = []
  readonly #startedAt: number
  readonly #firstTimestamp: number
  #ssrc: number
  #sequence: number
  /** Timestamp of the next packet: it continues with the user's own clock, even in silence. */
  #timestamp = 0
  #timer: Disposable | undefined
  #due = 0
  #left = false

  constructor(options: VoiceUserOptions) {
    const { userId, clock, random, nextSsrc, settled } = options
    const { firstSequence = random() * 0x1_0000, firstTimestamp = random() * 0x1_0000_0000 } = options
    this.userId = userId
    this.#options = options
    this.#startedAt = clock.now()
    this.#firstTimestamp = Math.floor(firstTimestamp)
    this.#sequence = Math.floor(firstSequence)
    this.#ssrc = nextSsrc()
    this.joined = Promise.resolve().then(settled)
  }

  /** As bots see it in op 5 and in packets. */
  get ssrc(): number {
    return this.#ssrc
  }

  /** For op 5 to bots that join later. */
  get speaking(): boolean {
    return this.#timer !== undefined
  }

  get left(): boolean {
    return this.#left
  }

  /** The user's end of DAVE. */
  get member(): ScriptedMember {
    return this.#options.member
  }

  /** Thirty digits that all members of the DAVE group share; undefined without a group. */
  get privacyCode(): string | undefined {
    return this.#options.member.privacyCode
  }

  /**
   * Says `words` (samples are 16 kHz mono) in real time, after earlier speech, followed by five frames of silence.
   * Settles when the last packet has been sent, or when the user is hushed or has left. Rejects with RangeError for
   * invalid options.
   */
  async say(words: Int16Array | EncodedSpeech, options: SayOptions = {}): Promise<void> {
    const speech = words instanceof Int16Array ? new Speech(words, options) : words.begin()
    await this.joined
    if (this.#left) return
    await new Promise<void>(resolve => {
      this.#queue.push({ speech, resolve })
      if (!this.#timer) this.#begin()
    })
  }

  /** Drops the current speech and everything that waits. */
  hush(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    for (const { resolve } of this.#queue.splice(0)) resolve()
  }

  /** Continues with another SSRC, as after a rejoin; bots learn of it when the user speaks next. */
  changeSsrc(): void {
    this.#ssrc = this.#options.nextSsrc()
    if (this.speaking) this.#options.onSpeaking(this, MICROPHONE)
  }

  /** Leaves the call: op 13, and out of the DAVE group. Idempotent. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    this.hush()
    this.#options.onLeft(this)
  }

  #begin(): void {
    const { clock, onSpeaking } = this.#options
    onSpeaking(this, MICROPHONE)
    this.#due = clock.now() + LEAD_MS
    const elapsed = Math.round(((this.#due - this.#startedAt) * OPUS_RATE) / 1000)
    this.#timestamp = (this.#firstTimestamp + elapsed) % 0x1_0000_0000
    this.#timer = setTimer(clock, LEAD_MS, this.#tick)
  }

  /** Sends everything that is due: the grid is absolute, so a late timer catches up at once. */
  readonly #tick = (): void => {
    const { clock } = this.#options
    const now = clock.now()
    for (let saying = this.#queue[0]; saying && this.#due <= now; saying = this.#queue[0]) {
      const packet = saying.speech.next()
      if (packet) {
        this.#send(packet)
        this.#due += packet.durationMs * saying.speech.pace
        this.#timestamp = (this.#timestamp + packet.durationMs * (OPUS_RATE / 1000)) % 0x1_0000_0000
      }
      if (saying.speech.done) {
        this.#queue.shift()
        saying.resolve()
      }
    }
    this.#timer = this.#queue.length > 0 ? clock.at(this.#due, this.#tick) : undefined
  }

  #send({ frame: opus, extension }: SpeechPacket): void {
    const { onPacket } = this.#options
    const frame = this.#seal(opus)
    if (!frame) return
    const header = { sequence: this.#sequence, timestamp: this.#timestamp, ssrc: this.#ssrc }
    this.#sequence = (this.#sequence + 1) & 0xffff
    onPacket(this, header, frame, extension)
  }

  /** The sealed frame; undefined while the user has no key for it. */
  #seal(opus: Buffer): Buffer | undefined {
    const { faults, member, random } = this.#options
    if (faults.zeroFrames) return Buffer.alloc(opus.length)
    const plain = faults.plaintext === true || (faults.plaintext !== false && random() < faults.plaintext)
    return plain || opus.equals(SILENCE_FRAME) ? opus : member.seal(opus)
  }
}
