/** One sentence through one engine, with the time of each step. */
import { type Clock, pause, setTimer, Ticker } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type {
  SpeechStream,
  SpeechToText,
  SpeechTranslator,
  Synthesizer,
  TextTranslator,
} from '../../service/engines/engine.ts'
import { durationMs, SAMPLE_RATE } from '../../transcode/pcm.ts'

/** Durations of the steps of a run (ms). A step that the engine does not have is absent. */
export interface RunTimes {
  /** Until the stream accepted audio. */
  readonly open?: number | undefined
  /** From the first audio to the first text. */
  readonly firstText?: number | undefined
  /** From the last audio of the sentence to its last final text; negative if the text was earlier. */
  readonly final?: number | undefined
  /** From the text to its translation. */
  readonly translation?: number | undefined
  /** From the text, or from the first audio, to the first sound of the voice. */
  readonly firstSound?: number | undefined
  readonly total: number
}

/** The output of an engine for a sentence. */
export interface EngineRun {
  readonly times: RunTimes
  /** The transcript. */
  readonly text?: string | undefined
  readonly translation?: string | undefined
  /** Speech that it made. */
  readonly speech?: { readonly voice?: string; readonly ms: number; readonly bytes: number } | undefined
}

export interface RunOptions {
  readonly clock: Clock
  /** Maximum time after the end of the audio (ms). */
  readonly patienceMs?: number
  /** An empty text is a result, too: the sentence is in another language. */
  readonly textless?: boolean
}

const PATIENCE_MS = 15_000
/** Audio is sent in pieces of this length (ms), as the bridge does. */
const PIECE_MS = 60
/** Silence after the last final text by which a sentence is complete (ms). */
const QUIET_MS = 1_200
/** Amplitude above which samples are audible. */
const AUDIBLE = 300

/** Sends `pcm` (16 kHz) to a recognizer at real time. Rejects if it fails or returns no text. */
export async function runRecognizer(
  engine: SpeechToText,
  language: LanguageId,
  pcm: Int16Array,
  options: RunOptions,
): Promise<EngineRun> {
  const { clock } = options
  const run = new SpokenRun(pcm, options)
  const stream = await run.open(() =>
    engine.open(language, {
      partial: ({ utterance, text }) => run.texted(utterance, text, false),
      final: ({ utterance, text }) => run.texted(utterance, text, true),
      failed: error => run.fail(error),
    }),
  )
  const times = await run.play(stream)
  return { times: { ...times, total: clock.now() - run.begun }, text: run.text }
}

/** Sends `pcm` (16 kHz) to a speech translator at real time. Rejects if it fails or returns no translation. */
export async function runInterpreter(
  engine: SpeechTranslator,
  { from, to }: { readonly from: LanguageId; readonly to: LanguageId },
  pcm: Int16Array,
  options: RunOptions,
): Promise<EngineRun> {
  const { clock } = options
  const run = new SpokenRun(pcm, options)
  const heard: string[] = []
  let [samples, ms] = [0, 0]
  let firstSound: number | undefined
  const stream = await run.open(() =>
    engine.open(
      { from, to },
      {
        partial: ({ utterance, translation }) => run.texted(utterance, translation, false),
        audio: (_utterance, piece, rate) => {
          samples += piece.length
          ms += durationMs(piece.length, rate)
          if (isAudible(piece)) firstSound ??= clock.now()
        },
        final: ({ utterance, text, translation }) => {
          heard.push(text)
          run.texted(utterance, translation, true)
        },
        failed: error => run.fail(error),
      },
    ),
  )
  const times = await run.play(stream)
  return {
    times: {
      ...times,
      firstSound: firstSound === undefined ? undefined : firstSound - run.playedAt,
      total: clock.now() - run.begun,
    },
    text: heard.join(' ').trim(),
    translation: run.text,
    speech: { ms: Math.round(ms), bytes: samples * 2 },
  }
}

export async function runTranslator(
  engine: TextTranslator,
  { text, from, to }: { readonly text: string; readonly from: LanguageId; readonly to: LanguageId },
  { clock }: RunOptions,
): Promise<EngineRun> {
  const begun = clock.now()
  const translation = await engine.translate(text, from, to)
  if (translation === '') throw new Error('returned no translation')
  const total = clock.now() - begun
  return { times: { translation: total, total }, translation }
}

/** Rejects if the voice is silent. */
export async function runSynthesizer(
  engine: Synthesizer,
  { text, voiceId }: { readonly text: string; readonly voiceId: string },
  { clock }: RunOptions,
): Promise<EngineRun> {
  const begun = clock.now()
  let firstSound: number | undefined
  let samples = 0
  const { rate, pieces } = await engine.speak(text, voiceId, new AbortController().signal)
  for await (const piece of pieces) {
    samples += piece.length
    if (isAudible(piece)) firstSound ??= clock.now()
  }
  if (firstSound === undefined) throw new Error(`spoke silence with ${voiceId}`)
  const ms = Math.round(durationMs(samples, rate))
  return {
    times: { firstSound: firstSound - begun, total: clock.now() - begun },
    speech: { voice: voiceId, ms, bytes: samples * 2 },
  }
}

function isAudible(pcm: Int16Array): boolean {
  return pcm.some(sample => Math.abs(sample) > AUDIBLE)
}

/** Plays a sentence into a stream of speech, followed by silence, and collects the texts. */
class SpokenRun {
  readonly #pcm: Int16Array
  readonly #clock: Clock
  readonly #patienceMs: number
  readonly #textless: boolean
  readonly #failure = Promise.withResolvers<never>()
  /** The latest text of each utterance, and whether it is final. */
  readonly #texts = new Map<number, { readonly text: string; readonly final: boolean }>()
  readonly begun: number
  playedAt = 0
  #openMs = 0
  #firstAt: number | undefined
  #finalAt: number | undefined

  constructor(pcm: Int16Array, { clock, patienceMs = PATIENCE_MS, textless = false }: RunOptions) {
    this.#pcm = pcm
    this.#clock = clock
    this.#patienceMs = patienceMs
    this.#textless = textless
    this.begun = clock.now()
    this.#failure.promise.catch(() => {})
  }

  get text(): string {
    const finals = Array.from(this.#texts.values()).filter(({ final }) => final)
    return finals
      .map(({ text }) => text)
      .join(' ')
      .trim()
  }

  async open(open: () => Promise<SpeechStream>): Promise<SpeechStream> {
    const stream = await open()
    this.#openMs = this.#clock.now() - this.begun
    return stream
  }

  texted(utterance: number, text: string, final: boolean): void {
    if (text !== '') this.#firstAt ??= this.#clock.now()
    this.#texts.set(utterance, { text, final })
    if (final) this.#finalAt = this.#clock.now()
  }

  fail(error: Error): void {
    this.#failure.reject(error)
  }

  /** Plays everything and waits for the last text. Closes `stream`. */
  async play(stream: SpeechStream): Promise<Omit<RunTimes, 'total'>> {
    this.playedAt = this.#clock.now()
    const endsAt = this.playedAt + durationMs(this.#pcm.length)
    let sent = 0
    const silence = new Int16Array((PIECE_MS * SAMPLE_RATE) / 1_000)
    using _feed = new Ticker(this.#clock, PIECE_MS, now => {
      // A late tick sends what is due.
      for (const due = ((now - this.playedAt) * SAMPLE_RATE) / 1_000; sent < due; sent += silence.length)
        stream.write(sent < this.#pcm.length ? this.#pcm.subarray(sent, sent + silence.length) : silence)
    })
    try {
      await Promise.race([this.#failure.promise, this.#complete(endsAt)])
    } finally {
      await stream.close()
    }
    return {
      open: this.#openMs,
      firstText: this.#firstAt === undefined ? undefined : this.#firstAt - this.playedAt,
      final: this.#finalAt === undefined ? undefined : this.#finalAt - endsAt,
    }
  }

  /** Resolves when all utterances are final and none started for a while. */
  async #complete(endsAt: number): Promise<void> {
    const latest = endsAt + this.#patienceMs
    for (;;) {
      await pause(this.#clock, 100)
      const now = this.#clock.now()
      const open = Array.from(this.#texts.values()).some(({ final }) => !final)
      const quietSince = Math.max(endsAt, this.#finalAt ?? Number.POSITIVE_INFINITY)
      const answered = this.text !== '' || (this.#textless && this.#finalAt !== undefined)
      if (answered && !open && now - quietSince >= QUIET_MS) return
      if (now >= latest) throw new Error(`no text within ${this.#patienceMs} ms of the end of the sentence`)
    }
  }
}

/** Rejects if `work` takes longer than `ms`. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  using _timer = setTimer(clock, ms, () => reject(new Error(`no result within ${Math.round(ms / 1_000)} s`)))
  return await Promise.race([work, promise])
}
