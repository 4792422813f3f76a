import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer } from '../../../common/clock.ts'
import { EngineError } from '../engine.ts'
import { SocketFault } from './engine-socket.ts'
import { FailureCooldown } from './failure-cooldown.ts'
import { SpeechConnection, type SpeechStream } from './speech-connection.ts'
import type { SpeakingVoice, SpeechProtocol } from './speech-protocol.ts'

export interface MultiplexedSpeechOptions {
  /** Name of the engine, for errors. */
  readonly name: string
  readonly protocol: SpeechProtocol
  readonly clock: Clock
  /** Time for opening a connection, and maximum time without speech for a complete text (ms). */
  readonly timeoutMs: number
  /** Time after repeated failures in which the engine is not used (ms). */
  readonly cooldownMs: number
  /** Time without utterances after which a connection is closed (ms). */
  readonly idleMs: number
}

/** Receives the speech of one utterance: any number of `audio`, then `ended` or `failed`. Nothing after `cancel`. */
export interface SpeechListener {
  /** The next piece, mono linear16 at the rate of the protocol. The receiver owns it. */
  audio(pcm: Int16Array): void
  ended(): void
  failed(error: EngineError): void
}

/** An utterance that is being spoken. The caller ends or cancels it. */
export interface SpokenUtterance {
  /** Adds text; speech of it can come before the text is complete. `last`: it is complete with this. */
  say(text: string, last?: boolean): void
  /** The text is complete. Idempotent. */
  end(): void
  /** The rest is not needed. The connection stays open. Idempotent. */
  cancel(): void
}

const RETRY: BackoffPolicy = { firstMs: 200, maxMs: 2_000 }
const MOST_ATTEMPTS = 3
/** Maximum number of utterances that wait for a connection with room. */
const MOST_WAITING = 100

/**
 * Speech by a service over few connections, which all utterances of the process share. An utterance whose connection
 * breaks is spoken again on another one; what the listener has already received of it is skipped, which is exact as
 * far as the service speaks a text the same way twice. Over the limits of the service, utterances wait for a free place.
 *
 * Opens the first connection with the first utterance. The creator closes it.
 */
export class MultiplexedSpeech {
  readonly #options: MultiplexedSpeechOptions
  readonly #cooldown: FailureCooldown
  #connections: SpeechConnection[] = []
  #waiting: Utterance[] = []
  readonly #utterances = new Set<Utterance>()
  #count = 0
  #closed = false

  constructor(options: MultiplexedSpeechOptions) {
    this.#options = options
    this.#cooldown = new FailureCooldown(options.clock, options.cooldownMs)
  }

  /** Hz */
  get rate(): number {
    return this.#options.protocol.rate
  }

  /** Opens a connection for `voice`, unless there is one: the first utterance comes sooner then. */
  prepare(voice: SpeakingVoice): void {
    const { url } = this.#options.protocol.address(voice)
    if (this.#closed || this.#cooldown.active || this.#connections.some(each => each.url === url)) return
    this.#room(voice)
  }

  /** Starts an utterance. Throws an `EngineError` during the cooldown after failures, and when too many wait. */
  start(voice: SpeakingVoice, listener: SpeechListener): SpokenUtterance {
    if (this.#closed) throw this.error('is closed')
    if (this.#cooldown.active) throw this.error('has failed several times and is skipped temporarily')
    if (this.#waiting.length >= MOST_WAITING) throw this.error(`${MOST_WAITING} utterances are waiting`)
    const utterance = new Utterance(voice, listener, {
      clock: this.#options.clock,
      timeoutMs: this.#options.timeoutMs,
      nextId: () => `u${++this.#count}`,
      place: () => this.#place(utterance),
      left: () => {
        this.#utterances.delete(utterance)
        this.#waiting = this.#waiting.filter(each => each !== utterance)
      },
      error: fault => this.error(fault.message, fault),
    })
    this.#utterances.add(utterance)
    this.#place(utterance)
    return utterance
  }

  /** Creates an error of this engine. */
  error(message: string, cause?: unknown): EngineError {
    return new EngineError('synthesis', this.#options.name, message, cause === undefined ? {} : { cause })
  }

  /** Closes all connections; utterances in progress fail. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const connection of this.#connections.splice(0)) connection.close()
    for (const utterance of Array.from(this.#utterances))
      utterance.fail(new SocketFault('is closed', { passing: false }))
  }

  #place(utterance: Utterance): void {
    if (this.#cooldown.active) {
      utterance.fail(
        new SocketFault('has failed several times and is skipped temporarily', { passing: true }),
      )
      return
    }
    const connection = this.#room(utterance.voice)
    if (connection) utterance.attach(connection)
    else this.#waiting.push(utterance)
  }

  /** Returns a connection with room for a stream of `voice`. */
  #room(voice: SpeakingVoice): SpeechConnection | undefined {
    const { protocol } = this.#options
    const address = protocol.address(voice)
    const known = this.#connections.find(each => each.url === address.url && !each.full)
    if (known) return known
    if (this.#connections.length >= protocol.maxConnections) {
      const idle = this.#connections.find(each => each.url !== address.url && each.streams === 0)
      if (!idle) return undefined
      this.#drop(idle)
      idle.close()
    }
    const connection = SpeechConnection.open(address, this.#options, {
      connected: fault => {
        if (fault) this.#cooldown.failed({ final: !fault.passing })
        else this.#cooldown.succeeded()
      },
      freed: () => this.#next(),
      closed: () => {
        this.#drop(connection)
        this.#next()
      },
    })
    this.#connections.push(connection)
    return connection
  }

  #drop(connection: SpeechConnection): void {
    this.#connections = this.#connections.filter(each => each !== connection)
  }

  #next(): void {
    if (this.#closed) return
    for (const utterance of this.#waiting.splice(0)) this.#place(utterance)
  }
}

interface UtteranceOwner {
  readonly clock: Clock
  readonly timeoutMs: number
  nextId(): string
  /** Attaches it to a connection, now or later. */
  place(): void
  /** It is over. */
  left(): void
  error(fault: SocketFault): EngineError
}

/** One text over all its attempts. */
class Utterance implements SpokenUtterance, SpeechStream {
  readonly voice: SpeakingVoice
  readonly texts: string[] = []
  id = ''
  complete = false
  readonly #listener: SpeechListener
  readonly #owner: UtteranceOwner
  #connection: SpeechConnection | undefined
  #attempts = 0
  /** Samples passed on, in all attempts and received in this one. */
  #passed = 0
  #received = 0
  #over = false
  #retry: Disposable | undefined
  #late: Disposable | undefined
  #heardAt = 0

  constructor(voice: SpeakingVoice, listener: SpeechListener, owner: UtteranceOwner) {
    this.voice = voice
    this.#listener = listener
    this.#owner = owner
  }

  attach(connection: SpeechConnection): void {
    this.id = this.#owner.nextId()
    this.#received = 0
    this.#connection = connection
    connection.add(this)
  }

  say(text: string, last = false): void {
    if (this.#over || this.complete || (text === '' && !last)) return
    if (text !== '') this.texts.push(text)
    if (last) {
      this.complete = true
      this.#heardAt = this.#owner.clock.now()
      this.#watch(this.#owner.timeoutMs)
    }
    this.#connection?.say(this, text, last)
  }

  end(): void {
    this.say('', true)
  }

  cancel(): void {
    if (this.#finish()) this.#connection?.cancel(this)
  }

  /** Ends it with an error. */
  fail(fault: SocketFault): void {
    if (this.#finish()) this.#listener.failed(this.#owner.error(fault))
  }

  audio(pcm: Int16Array): void {
    if (this.#over) return
    this.#heardAt = this.#owner.clock.now()
    const known = Math.max(0, this.#passed - this.#received)
    this.#received += pcm.length
    if (known >= pcm.length) return
    this.#passed = this.#received
    this.#listener.audio(known === 0 ? pcm : pcm.slice(known))
  }

  over(fault?: SocketFault): void {
    this.#connection = undefined
    if (this.#over) return
    if (!fault && this.complete) {
      this.#finish()
      this.#listener.ended()
      return
    }
    const reason = fault ?? new SocketFault('ended an utterance before its text', { passing: true })
    if (!reason.passing || ++this.#attempts >= MOST_ATTEMPTS) {
      this.fail(reason)
      return
    }
    this.#retry = setTimer(this.#owner.clock, backoffMs(this.#attempts, RETRY), () => {
      this.#retry = undefined
      this.#owner.place()
    })
  }

  /** Fails if a complete text is not answered in time, whether it waits for a connection or for speech. */
  #watch(ms: number): void {
    const { clock, timeoutMs } = this.#owner
    this.#late = setTimer(clock, ms, () => {
      const leftMs = this.#heardAt + timeoutMs - clock.now()
      if (leftMs > 0) {
        this.#watch(leftMs)
        return
      }
      const connection = this.#connection
      this.fail(new SocketFault(`no speech within ${timeoutMs} ms`, { passing: true }))
      connection?.cancel(this)
    })
  }

  #finish(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#retry?.[Symbol.dispose]()
    this.#late?.[Symbol.dispose]()
    this.#owner.left()
    return true
  }
}
