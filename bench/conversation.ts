import { FakeClock } from '../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../simulator/fakes/fake-translator.ts'
import { randomFrom } from '../simulator/random.ts'
import { Mp3Maker } from '../simulator/service/scripted-answers.ts'
import type { LanguageId } from '../src/common/language.ts'
import type { EndReason } from '../src/common/lifecycle.ts'
import type { Leg, LegUplink } from '../src/core/model/leg.ts'
import { relayOptions } from '../src/core/model/relay-settings.ts'
import { Relay } from '../src/core/room/relay.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, SILENT_FRAME } from '../src/transcode/pcm.ts'

/** One sentence of a script: its start and length. */
export interface Sentence {
  readonly atMs: number
  readonly lengthMs: number
}

/** Amount and duration of a speaker's talk. */
export interface ScheduleOptions {
  readonly minutes: number
  /** Share of the time that the speaker talks, 0 to 1. Pauses between sentences of one turn do not count as talk. */
  readonly share: number
  /** The same seed gives the same script. */
  readonly seed: number
}

/** Lengths of a sentence, of a pause between two sentences of one turn, and of a whole turn (ms). */
const SENTENCE_MS = [1_000, 5_000] as const
const PAUSE_MS = [150, 700] as const
const TURN_MS = [4_000, 30_000] as const

/**
 * Returns when a speaker talks: turns of a few sentences, some short, some half a minute, with gaps between them for
 * the other speaker, so that talk takes `share` of the time. With a share of 1 there are no pauses.
 */
function schedule({ minutes, share, seed }: ScheduleOptions): Sentence[] {
  if (!(share > 0 && share <= 1)) throw new RangeError(`share lies between 0 and 1, got ${share}`)
  const random = randomFrom(seed)
  const between = ([least, most]: readonly [number, number]) => Math.round(least + (most - least) * random())
  const endMs = minutes * 60_000
  const sentences: Sentence[] = []
  for (let at = 0, talked = 0; at < endMs; ) {
    const turnMs = between(TURN_MS)
    for (const end = at + turnMs; at < end && at < endMs; ) {
      const lengthMs = Math.min(between(SENTENCE_MS), endMs - at)
      sentences.push({ atMs: at, lengthMs })
      talked += lengthMs
      at += lengthMs
      // A high share leaves no room between sentences.
      at += Math.min(between(PAUSE_MS), Math.max(0, talked / share - at))
    }
    at = Math.max(at, Math.round(talked / share))
  }
  return sentences
}

/** A leg that keeps nothing: played audio goes to `hear`, and counts as heard at the next `confirm`. */
class RecordingLeg implements Leg {
  readonly id: string
  readonly channel = 'simulated'
  readonly ended: Promise<EndReason>
  readonly congested = false
  uplink: LegUplink | undefined
  readonly #hear: (frames: Int16Array) => void
  #marks: string[] = []
  #end!: (reason: EndReason) => void

  /** `hear` borrows the frames. */
  constructor(id: string, hear: (frames: Int16Array) => void) {
    this.id = id
    this.#hear = hear
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  attach(uplink: LegUplink): void {
    this.uplink = uplink
  }

  play(frames: Int16Array): void {
    this.#hear(frames)
  }

  mark(name: string): void {
    this.#marks.push(name)
  }

  flush(): void {
    this.#marks = []
  }

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }

  /** Confirms everything played so far as heard. */
  confirm(): void {
    if (this.#marks.length === 0) return
    const marks = this.#marks
    this.#marks = []
    for (const name of marks) this.uplink?.marked(name)
  }
}

/** Two speakers, each hearing the other translated. */
const SPEAKERS = [
  { id: 'anna', speaks: 'en-us', hears: 'en-us' },
  { id: 'bob', speaks: 'es-es', hears: 'es-es' },
] as const satisfies readonly { id: string; speaks: LanguageId; hears: LanguageId }[]

/** Delay of the service's answer after the end of a sentence (ms). */
const SERVICE_MS = 700
/** Translation lengths are rounded to this step (ms), so that each is encoded once. */
const STEP_MS = 200

/** A conversation between two people: its length, how much they talk, and their translations. */
export interface ConversationOptions {
  readonly minutes: number
  /** Share of the time that each participant talks. */
  readonly share: number
  /** Ratio of the length of a translation to its source; default 1.4. */
  readonly longer?: number
  /** Audio of the translations: speech, 16 kHz mono, at least 9 s. */
  readonly speech: Int16Array
  readonly seed?: number
  /** Settings of the relay. */
  readonly relay?: Parameters<typeof relayOptions>[0]
  /** Receives everything that is played to a listener, which is only translations; borrowed for the call. */
  readonly hear?: (listener: string, frames: Int16Array) => void
}

/** Lag of a listener at one moment. */
interface LagPoint {
  readonly atMs: number
  readonly lagMs: number
}

/** Timing of one translated sentence. */
export interface Told {
  readonly speaker: string
  /** End of the sentence, and arrival, start and end of its translation (ms). */
  readonly endedAt: number
  readonly cameAt: number
  begunAt?: number
  heardAt?: number
  dropped: boolean
  /** Length of the translation (ms). */
  readonly lengthMs: number
}

/** Result of a conversation. */
export interface ConversationReport {
  readonly told: readonly Told[]
  /** Lag of each listener, once per second while there is any. */
  readonly lag: ReadonlyMap<string, readonly LagPoint[]>
  /** Actual share of the time that the two talked. */
  readonly share: number
  /** Time saved by trimming pauses, and by speaking faster (ms). */
  readonly pausesTrimmedMs: number
  readonly timeCompressedMs: number
  /** Number of final captions. */
  readonly captions: number
  /** Utterances that the relay counted as dropped, and as heard to their end. */
  readonly dropped: number
  readonly heard: number
  /** Number of translations that ran dry during an utterance. */
  readonly starved: number
}

/**
 * Runs a long conversation through a real relay in simulated time: the clock is advanced by hand and the service is
 * simulated, but its mp3 is real. Every sentence is translated, and every translation is longer than its source.
 */
export async function converse(options: ConversationOptions): Promise<ConversationReport> {
  const { minutes, share, speech, longer = 1.4, seed = 1, hear = () => {} } = options
  const clock = new FakeClock()
  const since = clock.now()
  /** Time of the scripts (ms). */
  const at = () => clock.now() - since
  const translator = new FakeTranslator()
  const settings = relayOptions(options.relay)
  const relay = new Relay({ translator, options: settings, clock, random: () => 0.5 })
  await relay.ready()
  const voice = await translations(speech)
  const told = new Map<string, Told>()
  const lag = new Map<string, LagPoint[]>()
  relay.observer.on('lag', ({ listener, lagMs }) => {
    const points = lag.get(listener)
    if (points) points.push({ atMs: at(), lagMs })
    else lag.set(listener, [{ atMs: at(), lagMs }])
  })
  let ending = ''
  let captions = 0
  relay.observer.on('caption', ({ final }) => {
    if (final) captions++
  })
  relay.observer.on('utterance', ({ speaker, utterance, stage }) => {
    const it = told.get(`${speaker} ${utterance.slice(utterance.lastIndexOf('.') + 1)}`)
    if (!it) ending ||= `unknown utterance ${utterance}`
    else if (stage === 'begun') it.begunAt = at()
    else if (stage === 'heard') it.heardAt = at()
    else it.dropped = true
  })
  const parties = SPEAKERS.map(({ id, speaks, hears }, index) => {
    const leg = new RecordingLeg(id, frames => hear(id, frames))
    relay.admit(leg, { room: 'conversation', speaks, hears, original: 'off' })
    return { id, leg, speaks, script: schedule({ minutes, share, seed: seed + index }), said: 0, answered: 0 }
  })
  const answer = ({ id, speaks }: (typeof parties)[number], { atMs, lengthMs }: Sentence, count: number) => {
    const { mp3, ms } = voice(lengthMs * longer)
    told.set(`${id} ${count}`, {
      speaker: id,
      endedAt: atMs + lengthMs,
      cameAt: at(),
      dropped: false,
      lengthMs: ms,
    })
    const connection = translator.connections.findLast(each => each.request.from === speaks)
    connection?.sink.result({
      utterance: String(count),
      final: true,
      text: 'said',
      translation: 'told',
      audio: mp3,
    })
    connection?.sink.endOfSpeech()
  }
  let talked = 0
  for (
    let now = 0;
    now < minutes * 60_000 || (now < minutes * 60_000 + 60_000 && [...told.values()].some(it => waits(it)));
    now += FRAME_MS
  ) {
    for (const party of parties) {
      const { script, leg } = party
      const sentence = script[party.said]
      const speaking = sentence !== undefined && now >= sentence.atMs
      if (speaking) talked += FRAME_MS
      leg.uplink?.write(speaking ? frameAt(speech, now) : SILENT_FRAME)
      if (speaking && now + FRAME_MS >= sentence.atMs + sentence.lengthMs) party.said++
      const next = script[party.answered]
      if (next && now >= next.atMs + next.lengthMs + SERVICE_MS) answer(party, next, ++party.answered)
      leg.confirm()
    }
    clock.advance(FRAME_MS)
    // Connections of the fake service open in a microtask; a long run also yields to the event loop.
    if (now % 2_000 === 0) await new Promise(resolve => setImmediate(resolve))
    // The fragments sent to the service are not needed.
    for (const { sent } of translator.connections) sent.length = 0
  }
  if (ending) throw new Error(ending)
  const { pausesTrimmedMs, timeCompressedMs, starved, utterancesDropped, utterancesHeard } = relay.metrics
  await relay.close()
  return {
    told: [...told.values()],
    lag,
    share: talked / (2 * minutes * 60_000),
    pausesTrimmedMs,
    timeCompressedMs,
    captions,
    dropped: utterancesDropped,
    heard: utterancesHeard,
    starved,
  }
}

function waits({ heardAt, dropped }: Told): boolean {
  return heardAt === undefined && !dropped
}

/** The frame of `speech`, looped, at `ms`. */
function frameAt(speech: Int16Array, ms: number): Int16Array {
  const frames = Math.floor(speech.length / FRAME_SAMPLES)
  const at = (Math.floor(ms / FRAME_MS) % frames) * FRAME_SAMPLES
  return speech.subarray(at, at + FRAME_SAMPLES)
}

/** Returns excerpts of `speech` of the requested length as mp3; each length is encoded once. */
async function translations(speech: Int16Array): Promise<(ms: number) => { mp3: Uint8Array; ms: number }> {
  const maker = await Mp3Maker.create()
  const made = new Map<number, Uint8Array>()
  return wanted => {
    const ms = Math.max(STEP_MS, Math.round(wanted / STEP_MS) * STEP_MS)
    const samples = (ms * SAMPLE_RATE) / 1000
    let mp3 = made.get(ms)
    if (!mp3) {
      const from = (made.size * 37_000) % Math.max(1, speech.length - samples)
      mp3 = maker.encode(speech.subarray(from, from + samples))
      made.set(ms, mp3)
    }
    return { mp3, ms }
  }
}
