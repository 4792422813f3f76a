import {
  CAPTURE,
  type Captured,
  type CaptureOrder,
  PLAYBACK,
  type PlaybackOrder,
  type Played,
} from './worklet-messages.ts'

/** Rates that resample to and from 16 kHz; with any other rate, 48 kHz is requested. */
const RATES = [16_000, 24_000, 32_000, 44_100, 48_000]

/** Reasons for a missing microphone; the page has a message for each. */
export type NoMicrophone = 'refused' | 'none' | 'busy'

/** Callbacks for captured and played audio. */
export interface SoundEvents {
  /** Every 20 ms, even while no input is connected. */
  captured(captured: Captured): void
  played(played: Played): void
  /** The microphone was disconnected, muted by the system, or unmuted. */
  microphone(how: 'lost' | 'silenced' | 'on'): void
}

/** Audio input and output: a microphone or a recording, and the speakers. Its creator closes it. */
export class Sound {
  readonly #context: AudioContext
  readonly #capture: AudioWorkletNode
  readonly #playback: AudioWorkletNode
  readonly #events: SoundEvents
  #stream: MediaStream | undefined
  #source: AudioNode | undefined
  #recording: AudioBufferSourceNode | undefined

  /** Must be called from a click handler: browsers block audio otherwise. */
  static async open(events: SoundEvents): Promise<Sound> {
    const context = usableContext()
    // Not awaited: without a click it stays pending until there is one.
    void context.resume()
    const files = ['./capture-worklet', './playback-worklet']
    const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    for (const file of files)
      await context.audioWorklet.addModule(new URL(`${file}${ending}`, import.meta.url))
    return new Sound(context, events)
  }

  private constructor(context: AudioContext, events: SoundEvents) {
    this.#context = context
    this.#events = events
    this.#capture = new AudioWorkletNode(context, CAPTURE, { channelCount: 1, channelCountMode: 'explicit' })
    this.#playback = new AudioWorkletNode(context, PLAYBACK, { numberOfInputs: 0, outputChannelCount: [1] })
    this.#capture.port.onmessage = ({ data }: MessageEvent<Captured>) => events.captured(data)
    this.#playback.port.onmessage = ({ data }: MessageEvent<Played>) => events.played(data)
    // Its output is silent, but some browsers do not run unconnected nodes.
    this.#capture.connect(context.destination)
    this.#playback.connect(context.destination)
  }

  /** Output latency, as far as the browser reports it (ms). */
  get outputMs(): number {
    const { outputLatency, baseLatency } = this.#context as { outputLatency?: number; baseLatency?: number }
    return 1_000 * (outputLatency || baseLatency || 0)
  }

  get hasMicrophone(): boolean {
    return this.#stream !== undefined
  }

  /** Requests and connects the microphone; returns the reason for a failure. */
  async listen(): Promise<NoMicrophone | undefined> {
    if (!navigator.mediaDevices) return 'none'
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      })
      this.#stream = stream
      this.#source = this.#context.createMediaStreamSource(stream)
      if (!this.#recording) this.#source.connect(this.#capture)
      for (const track of stream.getAudioTracks()) {
        track.addEventListener('ended', () => {
          this.#stream = undefined
          this.#events.microphone('lost')
        })
        // Muted by a hardware switch or in the system’s settings: the browser delivers silence meanwhile.
        track.addEventListener('mute', () => this.#events.microphone('silenced'))
        track.addEventListener('unmute', () => this.#events.microphone('on'))
      }
      return undefined
    } catch (error) {
      return whyNot(error)
    }
  }

  mute(muted: boolean): void {
    const order: CaptureOrder = { muted }
    this.#capture.port.postMessage(order)
  }

  order(order: PlaybackOrder): void {
    this.#playback.port.postMessage(order, order.kind === 'audio' ? [order.packet] : [])
  }

  /** Plays a recording instead of the microphone; resolves when it ends or is stopped. */
  async playInto(recording: ArrayBuffer): Promise<void> {
    const buffer = await this.#context.decodeAudioData(recording)
    this.stopRecording()
    const source = this.#context.createBufferSource()
    source.buffer = buffer
    this.#recording = source
    this.#source?.disconnect()
    source.connect(this.#capture)
    await new Promise<void>(resolve => {
      source.addEventListener('ended', () => resolve())
      source.start()
    })
    source.disconnect()
    if (this.#recording !== source) return
    this.#recording = undefined
    this.#source?.connect(this.#capture)
  }

  stopRecording(): void {
    this.#recording?.stop()
  }

  async close(): Promise<void> {
    for (const track of this.#stream?.getTracks() ?? []) track.stop()
    this.#stream = undefined
    await this.#context.close()
  }
}

function usableContext(): AudioContext {
  const context = new AudioContext({ latencyHint: 'interactive' })
  if (RATES.includes(context.sampleRate)) return context
  void context.close()
  return new AudioContext({ latencyHint: 'interactive', sampleRate: 48_000 })
}

function whyNot(error: unknown): NoMicrophone {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused'
  if (name === 'NotReadableError' || name === 'AbortError') return 'busy'
  return 'none'
}
