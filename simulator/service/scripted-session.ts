import type { Socket } from 'socket.io'
import { type Clock, setTimer } from '../../src/common/clock.ts'
import {
  type ConnectionParameters,
  EVENT,
  type Namespace,
  type ServiceErrorBody,
  type SttResult,
} from '../../src/service/contract.ts'
import { concat, durationMs, SAMPLE_RATE, samplesOf } from '../../src/transcode/pcm.ts'
import {
  type DropHow,
  type ScriptedResult,
  type ServiceShape,
  type SessionFaults,
  ShapedAnswers,
} from './service-shape.ts'

const STREAMED_BYTES = 1024

/** One connection to a scripted service: what it received, and the means to answer it well or badly. */
export class ScriptedSession {
  readonly number: number
  readonly parameters: ConnectionParameters
  /** Source language; empty on `/tts`. */
  readonly from: string
  /** Target language; empty on `/stt`. */
  readonly to: string
  readonly namespace: Namespace
  /** Accepted texts, in order. */
  readonly texts: string[] = []
  /** Resolves to Socket.IO's reason when the connection is gone. */
  readonly ended: Promise<string>
  /** Number of fragments that arrived, accepted or not. */
  arrived = 0
  /** Number of accepted fragments. */
  fragments = 0
  /** Number of accepted samples. */
  samples = 0

  readonly #socket: Socket
  readonly #faults: SessionFaults
  readonly #clock: Clock
  readonly #setup: SessionSetup
  readonly #shaped: ShapedAnswers
  readonly #pcm: Int16Array[] = []
  #timers = new Set<Disposable>()
  #utterances = 0
  #hung = false
  #started = false

  constructor(socket: Socket, setup: SessionSetup) {
    this.number = setup.number
    this.parameters = setup.parameters
    this.from = setup.parameters.languageIdSource ?? ''
    this.to = setup.parameters.languageIdTarget ?? ''
    this.namespace = setup.namespace
    this.#socket = socket
    this.#faults = setup.faults
    this.#clock = setup.clock
    this.#setup = setup
    this.#shaped = new ShapedAnswers(setup.shape)
    this.ended = new Promise(settle => {
      socket.on('disconnect', reason => {
        for (const timer of this.#timers) timer[Symbol.dispose]()
        settle(reason)
      })
    })
    socket.on(EVENT.writeStream, (fragment: unknown, ack: unknown) => this.#take(fragment, ack))
    socket.on(EVENT.text, (text: unknown, ack: unknown) => this.#take(text, ack))
  }

  /** Greets the client. Called once, by the service, when everything else is in place. */
  begin(): void {
    const lifeMs = this.#faults.get('lifeMs')
    if (!this.#faults.get('noConnected')) {
      const told = lifeMs === undefined || this.#faults.get('lifeUntold') ? {} : { expiresInMs: lifeMs }
      this.emit(EVENT.connected, { ...this.parameters, ...told })
    }
    if (lifeMs !== undefined) this.#wait(lifeMs, () => this.drop('kick'))
    if (this.#faults.get('noStart')) return
    const payload = this.#faults.get('startWith')
    this.emit(EVENT.start, payload === undefined ? true : payload)
    this.#started = true
  }

  get connected(): boolean {
    return this.#socket.connected
  }

  /** Milliseconds of accepted audio. */
  get heardMs(): number {
    return durationMs(this.samples)
  }

  /** All accepted audio, in order; needs `record`. */
  get pcm(): Int16Array {
    return concat(this.#pcm)
  }

  /** Answers an utterance in the session's mode, with all active faults; returns its id. */
  say(saying: Saying): string {
    const id = String(++this.#utterances)
    this.#wait(this.#faults.get('answerAfterMs'), () => this.#deliver(id, saying))
    return id
  }

  /** Sends a partial result of the utterance that `say` will answer next. */
  partial(saying: Saying): void {
    if (!this.#shaped.tellsFinal) return
    const transcript = this.#transcript(String(this.#utterances + 1), saying)
    const target = this.namespace === '/sts' ? { languageIdTarget: this.to } : {}
    this.#result({ ...transcript, ...target, final: false })
  }

  /** Sends an `error` event with any body. */
  error(body: ServiceErrorBody | unknown): void {
    this.emit(EVENT.error, body)
  }

  /** Sends any event with any payload, even outside the interface. */
  emit(event: string, ...payload: unknown[]): void {
    if (!this.#hung) this.#socket.emit(event, ...payload)
  }

  /** Ends the connection from the service's side. Idempotent. */
  drop(how: DropHow = 'cut'): void {
    if (how === 'kick') this.#socket.disconnect(true)
    else this.#socket.request.socket.destroy()
  }

  /** Keeps the connection open, but stops reading and answering permanently. */
  hang(): void {
    this.#hung = true
    this.#socket.request.socket.pause()
  }

  #take(fragment: unknown, ack: unknown): void {
    if (this.#hung) return
    this.arrived++
    const dropAt = this.#faults.get('dropAt')
    if (dropAt !== undefined && this.arrived >= dropAt) {
      this.drop(this.#faults.get('dropHow'))
      return
    }
    const refused = this.#refusal(fragment)
    if (!refused) {
      if (fragment instanceof Uint8Array) this.#keep(fragment)
      else this.#keepText(String(fragment))
    }
    if (typeof ack !== 'function' || this.#faults.get('noAck')) return
    const answer = refused ? [false] : (this.#faults.get('ackWith') ?? [true])
    this.#wait(this.#faults.get('ackAfterMs'), () => this.#hung || ack(...answer))
  }

  #refusal(fragment: unknown): boolean {
    if (!this.#started) {
      this.error({ code: 'not_ready', error: 'before_start', description: 'wait for start' })
      return true
    }
    const text = this.namespace === '/translator' || this.namespace === '/tts'
    if (text ? typeof fragment === 'string' : fragment instanceof Uint8Array) return this.#faults.takeNack()
    this.error(
      text
        ? { code: 'bad_text', error: 'not_text', description: 'a text is a string' }
        : { code: 'bad_audio', error: 'not_binary', description: 'a fragment is binary' },
    )
    return true
  }

  #keepText(text: string): void {
    this.texts.push(text)
    this.#setup.onText(text)
  }

  #keep(fragment: Uint8Array): void {
    const pcm = samplesOf(fragment)
    this.fragments++
    this.samples += pcm.length
    if (this.#setup.record) this.#pcm.push(pcm)
    this.#setup.onFragment(pcm)
  }

  #transcript(id: string, saying: Saying): SttResult {
    const { text = `${this.from} ${id}`, startMs = 0, endMs = this.heardMs } = saying
    return { id, final: true, languageIdSource: this.from, text, startMs, endMs }
  }

  #deliver(id: string, saying: Saying): void {
    const { namespace } = this
    const transcript = this.#transcript(id, saying)
    if (namespace === '/stt') return void this.#result(transcript)
    const translation = saying.translation ?? `${this.to} ${id}`
    const written = { id, final: true, languageIdTarget: this.to, text: transcript.text } as const
    if (namespace === '/translator')
      return void this.#result({ ...written, languageIdSource: this.from, translation })
    const spoken: ScriptedResult =
      namespace === '/tts' ? written : { ...transcript, languageIdTarget: this.to, translation }
    const pieces = this.#pieces(saying)
    for (const result of this.#shaped.results(spoken, pieces, saying.rate ?? SAMPLE_RATE))
      this.#result(result)
    if (this.#faults.get('neverEndSynth')) return
    this.emit(EVENT.endSynth, ...this.#shaped.end(id))
  }

  #pieces({ audio: mp3, pcm }: Saying): Uint8Array[] {
    if (!mp3) return []
    const audio = this.#shaped.voice({ mp3, pcm })
    const bytes = this.parameters.receiveAudio?.mode === 'streaming' ? STREAMED_BYTES : audio.length || 1
    const pieces: Uint8Array[] = []
    for (let at = 0; at < audio.length || at === 0; at += bytes)
      pieces.push(Buffer.from(audio.subarray(at, at + bytes)))
    return pieces
  }

  #result(result: ScriptedResult): void {
    const mangle = this.#faults.get('mangle')
    const payload = mangle ? mangle(result) : this.#shaped.payload(result)
    if (payload === undefined) return
    for (let copy = this.#faults.get('duplicate') ? 2 : 1; copy > 0; copy--) this.emit(EVENT.result, payload)
  }

  #wait(ms: number | undefined, task: () => void): void {
    if (!ms) return void task()
    const timer = setTimer(this.#clock, ms, () => {
      this.#timers.delete(timer)
      task()
    })
    this.#timers.add(timer)
  }
}

/** The answer to one stretch of audio, or to one text. */
export interface Saying {
  /** Default: the number of the utterance and its language. */
  text?: string
  translation?: string
  /** mp3. Without it the result has no `file`. */
  audio?: Uint8Array
  /** The same audio as 16 kHz samples, for a service whose shape has no mp3. */
  pcm?: Int16Array
  /** Sample rate of `audio`, Hz. Default 16 000. */
  rate?: number
  startMs?: number
  endMs?: number
}

export interface SessionSetup {
  /** Order of connection to this service, from 1. */
  number: number
  namespace: Namespace
  parameters: ConnectionParameters
  faults: SessionFaults
  shape: ServiceShape
  clock: Clock
  /** Keeps the audio. */
  record: boolean
  /** Called with every accepted fragment, before it is acknowledged. */
  onFragment: (pcm: Int16Array) => void
  /** Called with every accepted text, before it is acknowledged. */
  onText: (text: string) => void
}
