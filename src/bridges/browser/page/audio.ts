import { RATES } from '../../../transcode/resample/resampler.ts'
import {
  CAPTURE,
  type Captured,
  type CaptureOrder,
  PLAYBACK,
  type PlaybackOrder,
  type Played,
} from './worklet-messages.ts'

/** Reasons for a missing microphone; the page has a message for each. */
export type NoMicrophone = 'refused' | 'none' | 'busy' | 'unknown'

/** Callbacks for captured and played audio. */
export interface SoundEvents {
  /** Every 20 ms while the context runs, even while no input is connected. */
  captured(captured: Captured): void
  played(played: Played): void
  /** The microphone was disconnected, muted by the system, or unmuted. */
  microphone(how: 'lost' | 'silenced' | 'on'): void
  /** The browser has paused the context, or continued it. */
  changed(): void
}

/** The parts of `AudioContext` that TypeScript's library lacks ("Web Audio API", §1.2). */
interface SinkContext extends AudioContext {
  setSinkId?(id: string): Promise<void>
  readonly outputLatency: number
}

/** Audio input and output: a microphone or a recording, and the speakers. Its creator closes it. */
export class Sound {
  readonly #context: SinkContext
  readonly #capture: AudioWorkletNode
  readonly #playback: AudioWorkletNode
  readonly #volume: GainNode
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
    return new Sound(context as SinkContext, events)
  }

  private constructor(context: SinkContext, events: SoundEvents) {
    this.#context = context
    this.#events = events
    this.#capture = new AudioWorkletNode(context, CAPTURE, { channelCount: 1, channelCountMode: 'explicit' })
    this.#playback = new AudioWorkletNode(context, PLAYBACK, { numberOfInputs: 0, outputChannelCount: [1] })
    this.#volume = new GainNode(context)
    this.#capture.port.onmessage = ({ data }: MessageEvent<Captured>) => events.captured(data)
    this.#playback.port.onmessage = ({ data }: MessageEvent<Played>) => events.played(data)
    context.addEventListener('statechange', () => events.changed())
    // The device of the speakers is gone: the default one takes its place.
    context.addEventListener('error', () => void this.playTo('').catch(() => {}))
    // Its output is silent, but some browsers do not run unconnected nodes.
    this.#capture.connect(context.destination)
    this.#playback.connect(this.#volume)
    this.#volume.connect(context.destination)
  }

  /** False: the browser plays and captures nothing, because it waits for a tap, or another app has the sound device. */
  get running(): boolean {
    return this.#context.state === 'running'
  }

  /** Output latency, as far as the browser reports it (ms). */
  get outputMs(): number {
    const { outputLatency, baseLatency } = this.#context
    return 1_000 * (outputLatency || baseLatency || 0)
  }

  get hasMicrophone(): boolean {
    return this.#stream !== undefined
  }

  /** Continues after a pause. Does nothing while the browser waits for a tap. */
  async resume(): Promise<void> {
    await this.#context.resume()
  }

  /**
   * Requests and connects the microphone, in place of the current one: `device`, or the default one if it is gone.
   * Resolves to the reason for a failure; the current one stays then.
   */
  async listen(device = ''): Promise<NoMicrophone | undefined> {
    if (!navigator.mediaDevices) return 'none'
    try {
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: {
          ...{ channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
          ...(device === '' ? {} : { deviceId: { ideal: device } }),
        },
      })
      this.#connect(stream)
      return undefined
    } catch (error) {
      return whyNot(error)
    }
  }

  /** The microphone counts only once it is connected. */
  #connect(stream: MediaStream): void {
    let source: AudioNode
    try {
      source = this.#context.createMediaStreamSource(stream)
    } catch (error) {
      for (const track of stream.getTracks()) track.stop()
      throw error
    }
    this.#drop()
    this.#stream = stream
    this.#source = source
    if (!this.#recording) source.connect(this.#capture)
    for (const track of stream.getAudioTracks()) {
      const tell = (how: Parameters<SoundEvents['microphone']>[0]) => {
        if (this.#stream !== stream) return
        if (how === 'lost') this.#drop()
        this.#events.microphone(how)
      }
      track.addEventListener('ended', () => tell('lost'))
      // Muted by a hardware switch or in the system’s settings: the browser delivers silence meanwhile.
      track.addEventListener('mute', () => tell('silenced'))
      track.addEventListener('unmute', () => tell('on'))
    }
  }

  /** Plays to the device `id` from now on; empty: the default one. Rejects if it is gone. */
  async playTo(id: string): Promise<void> {
    await this.#context.setSinkId?.(id)
  }

  /** Volume of everything that is played, 0 to 1. */
  set volume(volume: number) {
    this.#volume.gain.value = volume
  }

  /** Plays a short tone, to try the loudspeaker. */
  beep(): void {
    const fade = new GainNode(this.#context, { gain: 0.2 })
    const tone = new OscillatorNode(this.#context, { frequency: 660 })
    tone.connect(fade).connect(this.#volume)
    const { currentTime } = this.#context
    fade.gain.setTargetAtTime(0, currentTime + 0.3, 0.05)
    tone.start()
    tone.stop(currentTime + 0.7)
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

  /** A recording replaces the microphone now. */
  get hasRecording(): boolean {
    return this.#recording !== undefined
  }

  stopRecording(): void {
    this.#recording?.stop()
  }

  async close(): Promise<void> {
    this.#drop()
    await this.#context.close()
  }

  /** Lets go of the microphone. */
  #drop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop()
    this.#source?.disconnect()
    this.#stream = undefined
    this.#source = undefined
  }
}

/**
 * Runs at the rate of the device: Firefox connects no microphone to a context at another rate. Only a rate that cannot be
 * resampled is replaced, which other browsers can.
 */
function usableContext(): AudioContext {
  const context = new AudioContext({ latencyHint: 'interactive' })
  if (RATES.includes(context.sampleRate)) return context
  void context.close()
  return new AudioContext({ latencyHint: 'interactive', sampleRate: 48_000 })
}

/** Why a microphone is missing, as far as the browser says it ("Media Capture and Streams", §10.2.1). */
function whyNot(error: unknown): NoMicrophone {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'refused'
    case 'NotReadableError':
    case 'AbortError':
      return 'busy'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'none'
    default:
      return 'unknown'
  }
}
