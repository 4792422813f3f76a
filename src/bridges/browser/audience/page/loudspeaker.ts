import type { JitterOptions } from '../../page/jitter-buffer.ts'
import { PLAYBACK, type PlaybackOrder } from '../../page/worklet-messages.ts'
import { decodeAudience } from '../audience-packet.ts'

/** Messages of 100 ms over the networks of an event: a second of delay harms less than gaps. */
const JITTER: JitterOptions = { startMs: 250, leastMs: 150, mostMs: 1_000 }

/** Plays the audio of an audience. Without a microphone, no permission is needed. Its creator closes it. */
export class Loudspeaker {
  readonly #context: AudioContext
  readonly #playback: AudioWorkletNode
  readonly #gain: GainNode

  /** Must be called from a click handler: browsers block audio otherwise. `interrupted` is called when it stops or continues. */
  static async open(interrupted: (stopped: boolean) => void): Promise<Loudspeaker> {
    // Safari: plays in spite of the silent switch.
    const { audioSession } = navigator as { audioSession?: { type: string } }
    if (audioSession) audioSession.type = 'playback'
    const context = new AudioContext({ sampleRate: 48_000, latencyHint: 'playback' })
    void context.resume()
    const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    await context.audioWorklet.addModule(new URL(`../../page/playback-worklet${ending}`, import.meta.url))
    context.addEventListener('statechange', () => interrupted(context.state !== 'running'))
    return new Loudspeaker(context)
  }

  private constructor(context: AudioContext) {
    this.#context = context
    this.#playback = new AudioWorkletNode(context, PLAYBACK, {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: JITTER,
    })
    this.#gain = context.createGain()
    this.#playback.connect(this.#gain).connect(context.destination)
  }

  /** 0 to 1. */
  set volume(volume: number) {
    // A short ramp: steps click.
    this.#gain.gain.setTargetAtTime(volume, this.#context.currentTime, 0.02)
  }

  /** Plays one message. */
  play(packet: ArrayBuffer): void {
    const decoded = decodeAudience(packet)
    if (decoded) this.#order({ kind: 'audio', packet: decoded })
  }

  flush(): void {
    this.#order({ kind: 'flush' })
  }

  /** Continues after an interruption, such as a call; without effect while it plays. */
  resume(): void {
    void this.#context.resume()
  }

  async close(): Promise<void> {
    await this.#context.close()
  }

  #order(order: PlaybackOrder): void {
    this.#playback.port.postMessage(order, order.kind === 'audio' ? [order.packet] : [])
  }
}
