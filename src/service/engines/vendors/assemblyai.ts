import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import { bytesOf, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import {
  keyFields,
  languagesSchema,
  listedEngine,
  modelField,
  type SettingsOf,
  serverEntry,
  urlField,
} from '../definition.ts'
import { SocketFault, socketUrl } from '../wire/engine-socket.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../wire/live-protocol.ts'
import { LiveRecognizer, type LiveSpeech } from '../wire/live-recognizer.ts'

/** Maximum number of terms of a session (API reference, `keyterms_prompt`). */
const MOST_TERMS = 100

const settings = serverEntry('assemblyai', {
  url: urlField('https://streaming.assemblyai.com'),
  ...keyFields,
  model: modelField.default('universal-3-5-pro'),
  languages: languagesSchema,
})
type Settings = SettingsOf<typeof settings>

export const assemblyAi = listedEngine({
  kind: 'transcription',
  schema: settings,
  key: { variable: 'ASSEMBLYAI_API_KEY', hosts: /\.assemblyai\.com$/ },
  create: (choice, { clock, wallClock }) => assemblyAiRecognizer(choice, clock, wallClock),
})

/** Live transcription by AssemblyAI, protocol version 3 (`/v3/ws`). */
export function assemblyAiRecognizer(choice: Settings, clock: Clock, wall: WallClock): LiveRecognizer {
  return new LiveRecognizer('assemblyai', choice, clock, speech => protocolOf(choice, speech, wall))
}

function protocolOf({ url, apiKey, model }: Settings, speech: LiveSpeech, wall: WallClock): LiveProtocol {
  const keyterms = speech.terms.slice(0, MOST_TERMS)
  const search = new URLSearchParams({
    ...{ sample_rate: String(SAMPLE_RATE), encoding: 'pcm_s16le', speech_model: model },
    format_turns: 'true',
  })
  if (keyterms.length > 0) search.set('keyterms_prompt', JSON.stringify(keyterms))
  return {
    rate: SAMPLE_RATE,
    // Accepted are 50 to 1000 ms.
    chunkMs: 100,
    // Silence ends turns, and there is no message that keeps a connection without audio.
    continuous: true,
    address: () => ({
      url: socketUrl(url, `/v3/ws?${search}`),
      // The key itself, without a scheme.
      headers: { authorization: apiKey },
    }),
    closedWith: code => closeFault(code),
    dialogue: link => new TurnDialogue(link, speech, wall),
  }
}

/** Close codes (documentation, "Common session errors and closures"). */
const PASSING_CODES: readonly number[] = [1001, 1006, 1011, 1012, 1013, 3005, 3008, 3009]

function closeFault(code: number): SocketFault {
  return new SocketFault(`closed the connection (${code})`, { passing: PASSING_CODES.includes(code), code })
}

const beginSchema = z.object({ type: z.literal('Begin'), expires_at: z.number().nullish() })
const turnSchema = z.object({
  type: z.literal('Turn'),
  turn_order: z.number(),
  transcript: z.string(),
  end_of_turn: z.boolean(),
  turn_is_formatted: z.boolean().nullish(),
  language_code: z.string().nullish(),
  words: z.array(z.object({ text: z.string(), start: z.number(), end: z.number() })).nullish(),
})

/** Turns: each message has the whole text so far; the end comes once unformatted and once formatted. */
class TurnDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #speech: LiveSpeech
  readonly #wall: WallClock
  /** Number of the last turn that has ended. */
  #ended = -1

  constructor(link: LiveLink, speech: LiveSpeech, wall: WallClock) {
    this.#link = link
    this.#speech = speech
    this.#wall = wall
  }

  get busy(): boolean {
    return this.#speech.log.busy
  }

  /** The service speaks first. */
  begin(): void {}

  message(message: unknown): void {
    const begun = beginSchema.safeParse(message)
    if (begun.success) {
      const { expires_at: expires } = begun.data
      if (expires) this.#link.renewIn(expires * 1_000 - this.#wall())
      this.#link.ready()
      return
    }
    const turn = turnSchema.safeParse(message)
    if (turn.success) this.#turn(turn.data)
  }

  audio(pcm: Int16Array): void {
    this.#link.sendBinary(bytesOf(pcm))
  }

  finish(): void {
    this.#link.send({ type: 'Terminate' })
  }

  ended(): void {
    this.#speech.log.retract()
  }

  #turn({
    turn_order: order,
    transcript,
    end_of_turn: over,
    turn_is_formatted: formatted,
    language_code: code,
    words,
  }: z.infer<typeof turnSchema>): void {
    if (order <= this.#ended) return
    const [first, last] = [words?.[0], words?.at(-1)]
    const startMs = first ? this.#link.streamMs(first.start) : this.#link.speechFromMs
    const endMs = this.#link.streamMs(last?.end ?? this.#link.sentMs)
    const heard = { text: transcript.trim(), startMs, endMs }
    if (!over || !formatted) {
      this.#speech.log.partial(heard)
      return
    }
    this.#ended = order
    this.#speech.log.final({ ...heard, language: this.#speech.heard(code) })
    this.#link.answered(endMs)
  }
}
