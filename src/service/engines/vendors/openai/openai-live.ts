import { z } from 'zod'
import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import type { WallClock } from '../../../../common/wall-clock.ts'
import type { HearingOptions, SpeechStream, SpeechToText, TranscriptSink } from '../../engine.ts'
import { primaryCode } from '../../languages.ts'
import { base64Of } from '../../wire/base64-pcm.ts'
import { LiveEngine } from '../../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../../wire/live-protocol.ts'
import { socketUrl } from '../../wire/live-settings.ts'
import { TranscriptLog } from '../../wire/transcript-log.ts'
import type { OpenAiLiveOptions } from '../settings.ts'
import { OPENAI_RATE, OpenAiSession } from './openai-session.ts'

const deltaEvent = z.object({
  type: z.literal('conversation.item.input_audio_transcription.delta'),
  item_id: z.string(),
  delta: z.string(),
})
const endEvent = z.object({
  type: z.enum([
    'conversation.item.input_audio_transcription.completed',
    'conversation.item.input_audio_transcription.failed',
  ]),
  item_id: z.string(),
  transcript: z.string().nullish(),
})

/** The least audio of a turn; the service rejects an empty one (ms). */
const LEAST_TURN_MS = 100

/**
 * Speech recognition by OpenAI's live transcription (guide "Realtime transcription"): partial results while someone
 * speaks. Its models do not detect pauses, so turns are ended here.
 */
export class OpenAiLiveTranscriber implements SpeechToText {
  readonly name = 'openai-live'
  readonly takesTerms = true
  readonly languages: readonly LanguageId[]
  readonly #options: OpenAiLiveOptions
  readonly #wall: WallClock
  readonly #engine: LiveEngine

  constructor(options: OpenAiLiveOptions, clock: Clock, wall: WallClock) {
    this.languages = options.languages
    this.#options = options
    this.#wall = wall
    this.#engine = new LiveEngine('transcription', this.name, options, clock)
  }

  async open(
    language: LanguageId,
    sink: TranscriptSink,
    options: HearingOptions = {},
  ): Promise<SpeechStream> {
    if (!this.languages.includes(language))
      throw new RangeError(`${this.name} understands ${this.languages.join(', ')}, asked for ${language}`)
    return this.#engine.open(this.#protocol(language, sink, options), error => sink.failed(error))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  #protocol(language: LanguageId, sink: TranscriptSink, { terms = [], about }: HearingOptions): LiveProtocol {
    const { url, apiKey, model, delay, pauseMs } = this.#options
    const session = {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: OPENAI_RATE },
          transcription: {
            ...{ model, languages: [primaryCode(language)], delay },
            ...(terms.length === 0 ? {} : { keywords: terms }),
            ...(about === undefined ? {} : { prompt: about }),
          },
          turn_detection: null,
        },
      },
    }
    const log = new TranscriptLog(sink)
    return {
      rate: OPENAI_RATE,
      chunkMs: 100,
      pauseMs,
      address: () => ({
        // The model belongs into the session: a transcription with a model in the address is rejected.
        url: socketUrl(url, '/v1/realtime?intent=transcription'),
        ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
      }),
      dialogue: link => new TranscriptionDialogue(link, new OpenAiSession(link, this.#wall, session), log),
    }
  }
}

/** A turn: the audio between two commits. */
interface Turn {
  item?: string
  text: string
  startMs: number
  /** End of its audio, once it is committed. */
  endMs?: number
  /** Its final text, while an earlier turn has none. */
  transcript?: string
}

class TranscriptionDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #session: OpenAiSession
  readonly #log: TranscriptLog
  /** Turns without a result, in order; the last one can be uncommitted. */
  #turns: Turn[] = []
  #committedMs = 0

  constructor(link: LiveLink, session: OpenAiSession, log: TranscriptLog) {
    this.#link = link
    this.#session = session
    this.#log = log
  }

  get busy(): boolean {
    return this.#turns.length > 0
  }

  begin(): void {}

  message(message: unknown): void {
    if (this.#session.handled(message)) return
    const delta = deltaEvent.safeParse(message)
    if (delta.success) {
      this.#grow(this.#turn(delta.data.item_id), delta.data.delta)
      return
    }
    const end = endEvent.safeParse(message)
    if (end.success) this.#end(this.#turn(end.data.item_id), end.data.transcript ?? '')
  }

  audio(pcm: Int16Array): void {
    this.#link.send({ type: 'input_audio_buffer.append', audio: base64Of(pcm) })
  }

  pause(): void {
    if (this.#link.sentMs - this.#committedMs < LEAST_TURN_MS) return
    this.#link.send({ type: 'input_audio_buffer.commit' })
    this.#committedMs = this.#link.sentMs
    const last = this.#turns.at(-1)
    const open = last && last.endMs === undefined ? last : this.#begun()
    open.endMs = this.#link.streamMs(this.#committedMs)
  }

  ended(): void {
    this.#turns = []
    this.#log.retract()
  }

  #begun(item?: string): Turn {
    const turn: Turn = { text: '', startMs: this.#link.speechFromMs, ...(item === undefined ? {} : { item }) }
    this.#turns.push(turn)
    return turn
  }

  /** Returns the turn of `item`: results name it, and its first one can come before or after the commit. */
  #turn(item: string): Turn {
    const known = this.#turns.find(turn => turn.item === item)
    if (known) return known
    const next = this.#turns.find(turn => turn.item === undefined)
    if (!next) return this.#begun(item)
    next.item = item
    return next
  }

  #grow(turn: Turn, delta: string): void {
    turn.text += delta
    // The texts of later turns wait for the end of the first.
    if (turn === this.#turns[0]) this.#partial(turn)
  }

  #partial({ text, startMs, endMs }: Turn): void {
    this.#log.partial({ text: text.trim(), startMs, endMs: endMs ?? this.#link.streamMs(this.#link.sentMs) })
  }

  /** Gives the final texts in the order of the turns, not of their completion. */
  #end(turn: Turn, transcript: string): void {
    turn.transcript = transcript.trim()
    for (let first = this.#turns[0]; first?.transcript !== undefined; first = this.#turns[0]) {
      const endMs = first.endMs ?? this.#link.streamMs(this.#link.sentMs)
      this.#turns.shift()
      this.#log.final({ text: first.transcript, startMs: first.startMs, endMs })
      this.#link.answered(endMs)
    }
    const [next] = this.#turns
    if (next && next.text !== '') this.#partial(next)
  }
}
