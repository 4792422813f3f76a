import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { EngineSet } from '../../src/service/engines/engine-set.ts'
import type { ServiceConfig } from '../../src/service/server/settings.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { speech } from '../speech.ts'
import { InProcessService } from './in-process-service.ts'
import { ListeningLeg } from './listening-leg.ts'
import { mark } from './marked-audio.ts'
import type { Script } from './material.ts'
import {
  type Habit,
  ScriptedRecognizer,
  ScriptedTranslator,
  ScriptedVoice,
  type SpokenText,
  TONES,
} from './scripted-engines.ts'

/** Time after the script in which the last translations are played (ms). */
const AFTER_MS = 30_000
/** Power of a tone above which it sounds, relative to the power of its frame. */
const SOUNDS = 0.2
/** Below this mean square a frame is silent. */
const SILENT = 300 ** 2

/** A caption as the room got it; times are ms of the script. */
export interface LoggedCaption {
  readonly atMs: number
  readonly utterance: string
  readonly final: boolean
  readonly text: string
  readonly translation: string
}

/** What happened in a simulated call; times are ms of the script. */
export interface CallLog {
  readonly script: Script
  readonly captions: readonly LoggedCaption[]
  /** The spoken texts in order, with the time at which each was first heard. */
  readonly spoken: readonly (SpokenText & {
    readonly heardAt: number | undefined
    readonly endedAt: number
  })[]
  /** Frames with a voice, frames with two voices, and the longest time without a voice between two (ms). */
  readonly voiceFrames: number
  readonly doubleFrames: number
  readonly longestGapMs: number
}

export interface Scenario {
  readonly script: Script
  readonly habit: Habit
  /** Settings of the embedded service. */
  readonly service?: Partial<ServiceConfig>
}

/** Plays a script through the relay and sessions of the service with scripted engines, in simulated time. */
export async function simulate({ script, habit, service: config = {} }: Scenario): Promise<CallLog> {
  const clock = new FakeClock()
  const since = clock.now()
  const now = () => clock.now() - since
  const voice = new ScriptedVoice(clock, 'es-es')
  const engines = new EngineSet({
    speechToText: [new ScriptedRecognizer('en-us', script, habit)],
    translators: [new ScriptedTranslator(clock, 'en-us', 'es-es')],
    synthesizers: [voice],
  })
  const translator = new InProcessService(engines, clock, config)
  const relay = new Relay({ translator, options: relayOptions(), clock, random: () => 0.5 })
  await relay.ready()
  const captions: LoggedCaption[] = []
  relay.observer.on('caption', ({ utterance, final, text = '', translation = '' }) => {
    captions.push({ atMs: now(), utterance, final, text, translation })
  })
  const ear = new ToneEar(voice.spoken, since)
  const speaker = new ListeningLeg(
    'anna',
    () => clock.now(),
    () => {},
  )
  const listener = new ListeningLeg(
    'bob',
    () => clock.now(),
    (frame, atMs) => ear.frame(frame, atMs - since),
  )
  relay.admit(speaker, { room: 'call', speaks: 'en-us', hears: 'en-us', original: 'off' })
  relay.admit(listener, { room: 'call', speaks: 'es-es', hears: 'es-es', original: 'off' })
  const recorded = speech()
  let word = 0
  for (let index = 0; index * FRAME_MS < script.lengthMs + AFTER_MS; index++) {
    clock.advance(FRAME_MS)
    const startMs = index * FRAME_MS
    while (script.words[word] && script.words[word]!.endMs <= startMs) word++
    const loud = (script.words[word]?.startMs ?? Number.POSITIVE_INFINITY) < startMs + FRAME_MS
    const at = ((index * FRAME_SAMPLES) % (recorded.length - FRAME_SAMPLES)) | 0
    const frame = loud ? louder(recorded.slice(at, at + FRAME_SAMPLES), index) : new Int16Array(FRAME_SAMPLES)
    speaker.uplink?.write(mark(frame, index))
    listener.uplink?.write(new Int16Array(FRAME_SAMPLES))
    speaker.confirm()
    listener.confirm()
    // Engines and decoders settle before time goes on.
    for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  await relay.close()
  return { script, captions, ...ear.heard() }
}

/** Recorded speech has pauses of its own: a little noise keeps every frame of a word loud. */
function louder(frame: Int16Array, index: number): Int16Array {
  for (let n = 0; n < frame.length; n++) frame[n] = frame[n]! / 2 + 3_000 * Math.sin(n * 0.37 + index)
  return frame
}

/** Hears which tone begins when. */
class ToneEar {
  readonly #spoken: readonly SpokenText[]
  readonly #since: number
  readonly #heardAt: number[] = []
  readonly #endedAt: number[] = []
  #voiceFrames = 0
  #doubleFrames = 0
  #longestGapMs = 0
  #lastMs: number | undefined

  constructor(spoken: readonly SpokenText[], since: number) {
    this.#spoken = spoken
    this.#since = since
  }

  frame(frame: Int16Array, atMs: number): void {
    let power = 0
    for (const sample of frame) power += sample * sample
    power /= frame.length
    if (power < SILENT) return
    const sounding = TONES.filter(hz => toneShare(frame, hz, power) > SOUNDS)
    if (sounding.length === 0) return
    this.#voiceFrames++
    if (sounding.length > 1) this.#doubleFrames++
    if (this.#lastMs !== undefined) this.#longestGapMs = Math.max(this.#longestGapMs, atMs - this.#lastMs)
    this.#lastMs = atMs
    const current = this.#heardAt.length - 1
    if (current >= 0 && sounding.includes(this.#spoken[current]!.hz as never))
      this.#endedAt[current] = atMs + 20
    const next = this.#spoken[current + 1]
    if (!next || !sounding.includes(next.hz as never)) return
    this.#heardAt.push(atMs)
    this.#endedAt.push(atMs + 20)
  }

  heard() {
    return {
      spoken: this.#spoken.map((each, n) => ({
        ...each,
        spokenAt: each.spokenAt === undefined ? undefined : each.spokenAt - this.#since,
        heardAt: this.#heardAt[n],
        endedAt: this.#endedAt[n] ?? Number.NaN,
      })),
      voiceFrames: this.#voiceFrames,
      doubleFrames: this.#doubleFrames,
      longestGapMs: this.#longestGapMs,
    }
  }
}

/** Share of a frame's power that is a tone of `hz` (Goertzel). */
function toneShare(frame: Int16Array, hz: number, power: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 16_000)
  let [one, two] = [0, 0]
  for (const sample of frame) [one, two] = [sample + coefficient * one - two, one]
  const tone = one * one + two * two - coefficient * one * two
  return (2 * tone) / (frame.length ** 2 * power)
}
