import { after, type Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { EVENT } from '../contract.ts'
import type { Channel } from './channel.ts'
import type { SttParameters } from './connection-parameters.ts'
import type { SpeechStream, SpeechToText, TranscriptSink } from './engines/speech-to-text.ts'
import type { KeyHolder } from './key-holder.ts'
import type { ServiceSettings } from './service-config.ts'
import { ServiceError, told } from './service-error.ts'
import type { Results } from './transcript-results.ts'
import { Uplink } from './uplink.ts'

export interface SessionParts {
  readonly channel: Channel
  readonly parameters: SttParameters
  readonly recognizer: SpeechToText
  /** What becomes of the transcripts; the session closes it. `fault` tells the client about a failure. */
  readonly results: (fault: (error: ServiceError) => void) => Results
  readonly settings: ServiceSettings
  /** Whose session it is. */
  readonly holder: Pick<KeyHolder, 'takeAudio'>
  readonly clock: Clock
  /** Of this session alone. */
  readonly log: Log
}

/**
 * One client speaking, on `/stt` or `/sts`.
 *
 *   opening ──recogniser open──▶ ready ──client gone, idle, broken──▶ ended
 */
export class Session {
  readonly #parts: SessionParts
  readonly #results: Results
  #state: 'opening' | 'ready' | 'ended' = 'opening'
  #stream: SpeechStream | undefined
  #uplink: Uplink | undefined
  #idle: Disposable | undefined
  #lastAudio = 0
  #bad = 0
  #overfull = false
  #utterances = 0
  #closing: Promise<void> | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#results = parts.results(error => this.#fault(error))
  }

  /** Says `connected`, gets a recogniser, says `start`. Never rejects: a failure goes to the client. */
  async open(): Promise<void> {
    const { channel, parameters, recognizer, settings, holder } = this.#parts
    channel.emit(EVENT.connected, parameters)
    try {
      const stream = await recognizer.open(parameters.languageIdSource, this.#sink())
      if (this.#state === 'ended') return await stream.close()
      this.#stream = stream
      this.#uplink = new Uplink(stream, parameters.sendAudio, settings, holder)
    } catch (cause) {
      return this.#fault(new ServiceError('transcription_failed', 'the recogniser did not start', { cause }))
    }
    this.#state = 'ready'
    this.#heard()
    this.#parts.log.info({}, 'session ready')
    channel.emit(EVENT.start, true)
  }

  /** Takes a `write_stream` payload. False: it failed, and the client was told why. */
  take(fragment: unknown): boolean {
    try {
      if (!this.#uplink || this.#state !== 'ready')
        throw new ServiceError('before_start', 'audio is taken after start only')
      this.#uplink.take(fragment)
    } catch (error) {
      this.#refused(told(error))
      return false
    }
    this.#bad = 0
    this.#overfull = false
    this.#lastAudio = this.#parts.clock.now()
    return true
  }

  /** Tells the client that something it sent was not taken; many such in a row end the session. */
  refuse(error: ServiceError): void {
    this.#refused(error)
  }

  /** Frees everything; the client is not told. Idempotent. */
  close(reason: string): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  async #shutDown(reason: string): Promise<void> {
    this.#state = 'ended'
    this.#idle?.[Symbol.dispose]()
    this.#results.close()
    await this.#stream?.close()
    const audioMs = Math.round(this.#uplink?.takenMs ?? 0)
    this.#parts.log.info({ reason, audioMs, utterances: this.#utterances }, 'session ended')
  }

  #sink(): TranscriptSink {
    return {
      partial: transcript => this.#guarded(() => this.#results.partial(transcript)),
      final: transcript => {
        this.#utterances++
        this.#guarded(() => this.#results.final(transcript))
      },
      failed: cause =>
        this.#fault(new ServiceError('transcription_failed', 'the recogniser broke down', { cause })),
    }
  }

  /** Runs `emit` unless the session has ended or the client has stopped reading. */
  #guarded(emit: () => void): void {
    if (this.#state === 'ended') return
    const { channel, settings } = this.#parts
    if (channel.unreadBytes <= settings.maxUnreadBytes) {
      emit()
      return
    }
    this.#fault(
      new ServiceError(
        'reader_too_slow',
        `${channel.unreadBytes} bytes wait to be read, allowed are ${settings.maxUnreadBytes}`,
      ),
    )
  }

  /** One fragment failed. A full backlog is told once, until something is taken again. */
  #refused(error: ServiceError): void {
    const again = error.specific === 'backlog_full' && this.#overfull
    this.#overfull ||= error.specific === 'backlog_full'
    if (!again) this.#fault(error)
    if (error.specific === 'backlog_full') return
    const { maxBadFragments } = this.#parts.settings
    if (++this.#bad >= maxBadFragments)
      this.#fault(new ServiceError('too_many_bad_fragments', `${this.#bad} fragments in a row failed`))
  }

  #fault(error: ServiceError): void {
    if (this.#state === 'ended') return
    const { channel, log } = this.#parts
    const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
    log.warn({ code: error.data.code, error: error.specific, ...cause }, 'session error')
    channel.emit(EVENT.error, error.data)
    if (!error.fatal) return
    void this.close(error.specific)
    channel.end()
  }

  /** Looks again when the time-out could be over at the earliest; no timer per fragment. */
  #heard(): void {
    this.#lastAudio = this.#parts.clock.now()
    this.#watchIdle(this.#parts.settings.idleTimeoutMs)
  }

  #watchIdle(ms: number): void {
    const { clock, settings } = this.#parts
    this.#idle = after(clock, ms, () => {
      const left = this.#lastAudio + settings.idleTimeoutMs - clock.now()
      if (left > 0) this.#watchIdle(left)
      else this.#fault(new ServiceError('session_idle', `no audio for ${settings.idleTimeoutMs} ms`))
    })
  }
}
