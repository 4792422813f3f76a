import { type Clock, pause, systemClock } from '../../src/common/clock.ts'
import { AsteriskSimulator } from '../asterisk/asterisk-simulator.ts'
import { JambonzSimulator } from '../jambonz/jambonz-simulator.ts'
import type { Notice } from '../twilio/phone/reports.ts'
import { FRAME_MS, HEARD_RATE, type PhoneAudio } from './phone-audio.ts'

/** A phone in a call, as `dragoman call` uses it: `SimulatedCall`, or a `LinePhone`. */
export interface CallPhone {
  /** False once the call is over. */
  readonly live: boolean
  /** Speaks samples (8 kHz, mono); settles when the last of them is due, or the call is over. */
  say(pcm: Int16Array): Promise<unknown>
  /** Settles after `ms` of silence, or when the call is over. */
  quietFor(ms: number): Promise<void>
  hangUp(): Promise<{ readonly kind: string }>
  /** Everything heard: 8 kHz, mono. */
  heard(): Int16Array
  report(): PhoneReport
}

export interface PhoneReport {
  readonly errors: readonly Notice[]
  readonly warnings: readonly Notice[]
  readonly said: readonly string[]
  /** Messages, or audible frames of carriers without messages. */
  readonly messages: number
  /** Samples heard. */
  readonly bytes: number
  readonly gapCount: number
  readonly marksPlayed: number
}

/** A call to place through jambonz or Asterisk. */
export interface LineCallOptions {
  /** Address of the bridge. */
  readonly server: string
  /** Parameters of its webhooks. */
  readonly query: string
  /** Signs or authenticates requests. */
  readonly secret: string
  readonly from?: string
  readonly to?: string
  /** Sample rate of streams, as the bridge has it (Hz). */
  readonly rate: number
  /** Text of the dialplan, and address of the AudioSocket server: for Asterisk. */
  readonly dialplan?: string
  readonly audioAddress?: string
  readonly onMark: (now: number, name: string) => void
  readonly onMedia: (now: number, samples: number) => void
  readonly clock?: Clock
}

const CALLER = '+15005550006'
const CALLED = '+15005550001'
/** Maximum time from the call to its stream (ms). */
const CONNECT_MS = 10_000
/** A shorter silence within audio is a gap (ms). */
const GAP_MS = 400
/** A frame that is due is at most this late (ms). */
const LATE_MS = 60

/** The call, as its carrier has it. */
interface LineCall {
  readonly audio: PhoneAudio
  readonly said: readonly string[]
  readonly over: boolean
  readonly ended: Promise<string>
  hangUp(): void
}

/** A phone of jambonz or Asterisk, whose simulators have another kind of calls. Hanging up closes the simulator. */
export class LinePhone implements CallPhone {
  readonly #call: LineCall
  readonly #clock: Clock
  readonly #faults: readonly string[]
  readonly #close: () => Promise<void>
  #frames = 0
  #gaps = 0
  #marks = 0
  /** Last frame of any kind, and last audible one. */
  #frameAt = Number.NEGATIVE_INFINITY
  #audible = false
  #heardAt = Number.NEGATIVE_INFINITY
  #connected = false

  private constructor(
    call: LineCall,
    faults: readonly string[],
    close: () => Promise<void>,
    { clock = systemClock, onMedia }: LineCallOptions,
  ) {
    this.#call = call
    this.#faults = faults
    this.#close = close
    this.#clock = clock
    call.audio.onFrame = (now, audible) => {
      const dryMs = now - this.#frameAt - FRAME_MS
      if (audible && this.#audible && dryMs > LATE_MS && dryMs < GAP_MS) this.#gaps++
      this.#frameAt = now
      this.#audible = audible
      if (!audible) return
      this.#heardAt = now
      this.#frames++
      onMedia(now, (HEARD_RATE * FRAME_MS) / 1_000)
    }
  }

  /** Calls through jambonz. Settles when the stream is connected, or the call is over. */
  static async jambonz(options: LineCallOptions): Promise<LinePhone> {
    const { server, query, secret: webhookSecret, rate, clock = systemClock } = options
    const simulator = await JambonzSimulator.listen({ webhookSecret, callRate: rate, clock })
    let phone: LinePhone | undefined
    const call = simulator.call(options.from ?? CALLER, options.to ?? CALLED, {
      callHook: `${server}/jambonz/voice?${query}`,
      statusHook: `${server}/jambonz/status`,
      onMark: name => {
        phone?.marked()
        options.onMark(clock.now(), name)
      },
    })
    phone = new LinePhone(call, simulator.faults, () => simulator.close(), options)
    await phone.#connect()
    return phone
  }

  /** Calls through Asterisk with the dialplan of the documentation, which has both kinds of streams. Settles like `jambonz`. */
  static async asterisk(options: LineCallOptions): Promise<LinePhone> {
    const { server, query, secret, rate, clock = systemClock, dialplan = '', audioAddress = '' } = options
    let phone: LinePhone | undefined
    const simulator = await AsteriskSimulator.listen({
      ...{ rate, clock },
      webSocketClients: {
        dragoman: {
          uri: `${server.replace(/^http/, 'ws')}/asterisk/media`,
          ...{ username: 'dragoman', password: secret },
        },
      },
      onMark: name => {
        phone?.marked()
        options.onMark(clock.now(), name)
      },
      dialplan: dialplan.replace('/voice)', `/voice?${query})`),
      globals: {
        DRAGOMAN_URL: `${server}/asterisk`,
        DRAGOMAN_LOGIN: `dragoman:${secret}`,
        DRAGOMAN_AUDIO: audioAddress,
        DRAGOMAN_CODEC: rate === 16_000 ? 'slin16' : 'slin',
      },
    })
    const call = simulator.call(options.from ?? CALLER, options.to ?? CALLED)
    phone = new LinePhone(call, simulator.faults, () => simulator.close(), options)
    await phone.#connect()
    return phone
  }

  get live(): boolean {
    return !this.#call.over
  }

  /** A mark was reached. */
  marked(): void {
    this.#marks++
  }

  async say(pcm: Int16Array): Promise<void> {
    const { audio } = this.#call
    audio.say(pcm, HEARD_RATE)
    while (this.live && audio.speaking) await pause(this.#clock, FRAME_MS)
  }

  async quietFor(ms: number): Promise<void> {
    const since = this.#clock.now()
    for (;;) {
      const left = Math.max(since, this.#heardAt) + ms - this.#clock.now()
      if (left <= 0 || !this.live) return
      await Promise.race([pause(this.#clock, left), this.#call.ended])
    }
  }

  async hangUp(): Promise<{ readonly kind: string }> {
    const kind = this.live ? 'hangup' : 'completed'
    this.#call.hangUp()
    await this.#close()
    return { kind }
  }

  heard(): Int16Array {
    return this.#call.audio.heard()
  }

  report(): PhoneReport {
    const faults = this.#faults.map(text => ({ code: codeOf(text), text, at: this.#clock.now() }))
    const none = { code: 11_200, text: 'no instructions for a stream', at: this.#clock.now() }
    const errors = this.#connected || faults.length > 0 ? faults : [none]
    return {
      ...{ errors, warnings: [], said: [...this.#call.said], gapCount: this.#gaps, marksPlayed: this.#marks },
      messages: this.#frames,
      bytes: (this.#frames * HEARD_RATE * FRAME_MS) / 1_000,
    }
  }

  async #connect(): Promise<void> {
    const until = this.#clock.now() + CONNECT_MS
    while (this.live && this.#clock.now() < until) {
      this.#connected = this.#call.audio.connected
      if (this.#connected) return
      await pause(this.#clock, FRAME_MS)
    }
    if (this.live) this.#call.hangUp()
  }
}

/** The code of Twilio for the same fault. */
function codeOf(fault: string): number {
  return /with no response$/.test(fault) ? 11_205 : /with (HTTP )?\d+$/.test(fault) ? 11_200 : 31_951
}
