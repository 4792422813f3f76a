import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tone } from '../../../simulator/service/scripted-answers.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { sameLanguage } from '../../../src/common/language.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { Participant } from '../../../src/core/room/participant.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { gainBelow, toneLufs } from '../../support/transcode/loudness-meter.ts'

/** Low tones, so that a click is detectable. They repeat every 20 ms, so that frames dropped to catch up are inaudible. */
const TONES = [100, 150, 200, 250, 300]
const PEAK = 2_500
/** Loudness of the translations. */
const TRANSLATION_DB = toneLufs(400, PEAK)
/** Frames end near the peaks of their tones, where a cut is loudest. */
const PHASE_MS = 1.25
const WINDOW_MS = 400
const LANGUAGES = ['en-us', 'en-gb', 'es-es', 'fr-fr'] as const
const broken: EndReason = {
  kind: 'failed',
  error: new BridgeError('LEG_LOST', 'the socket broke', { retryable: true }),
}
const away: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }),
}

const who = fc.nat(TONES.length - 1)
const language = fc.option(fc.constantFrom(...LANGUAGES))
const action = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('join' as const), who, speaks: language, hears: language }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant('leave' as const), who }), weight: 1 },
  {
    arbitrary: fc.record({
      do: fc.constant('break' as const),
      who,
      backMs: fc.constantFrom(0, 60, 500, 2_000),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      who,
      change: fc.record(
        {
          speaks: language,
          hears: language,
          original: fc.constantFrom('off', 'low', 'duck'),
          muted: fc.boolean(),
          interpreting: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('announce' as const),
      who,
      ms: fc.constantFrom(45, 130, 700),
      loop: fc.boolean(),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('stop' as const), who }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('repeat' as const), who }), weight: 1 },
  {
    arbitrary: fc.record({ do: fc.constant('answer' as const), who, ms: fc.constantFrom(200, 900) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant('stall' as const), who, ms: fc.constantFrom(40, 100, 240) }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('service' as const), up: fc.boolean() }), weight: 1 },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Five participants who talk continuously, and the actions applied to them. */
class Bustle {
  readonly #r: Awaited<ReturnType<typeof rooms>>
  readonly #legs = new Map<number, LiveLeg>()
  readonly #everyLeg: LiveLeg[] = []
  readonly #stalled = new Map<number, number>()
  readonly #stops: { who: number; stop: () => void }[] = []
  #count = 0
  #time = 0

  constructor(r: Awaited<ReturnType<typeof rooms>>) {
    this.#r = r
  }

  async do(step: Action): Promise<void> {
    const leg = 'who' in step ? this.#legs.get(step.who) : undefined
    const party = leg && this.#r.relay.find(leg.id)
    switch (step.do) {
      case 'join':
        if (!leg) this.#join(step.who, `call ${step.who}.${++this.#count}`, step)
        break
      case 'leave':
        if (leg) void leg.close({ kind: 'hangup', by: 'remote' })
        this.#legs.delete(step.who)
        break
      case 'break':
        if (leg) await this.#break(step.who, leg, step.backMs)
        break
      case 'change':
        party?.change(step.change as Parameters<typeof party.change>[0])
        break
      case 'announce':
        if (party) this.#stops.push({ who: step.who, stop: this.#announce(party, step.ms, step.loop) })
        break
      case 'stop':
        for (const each of this.#stops) if (each.who === step.who) each.stop()
        break
      case 'repeat':
        party?.repeat()
        break
      case 'answer':
        this.#answer(step.who, step.ms)
        break
      case 'stall':
        this.#stalled.set(step.who, step.ms)
        break
      case 'service':
        this.#service(step.up)
        break
      default:
        step satisfies never
    }
    await this.run(step.do === 'answer' ? 100 : 340)
  }

  /** Advances the time. Participants who are not stalled deliver all audio that is due, including late audio. */
  async run(ms: number): Promise<void> {
    for (let t = 0; t < ms; t += 20) {
      for (const [who, leg] of this.#legs) this.#speak(who, leg)
      this.#time += 20
      this.#r.clock.advance(20)
      await Promise.resolve()
      await Promise.resolve()
    }
  }

  /** Lets all temporary sounds end, so that only continuous ones remain. */
  async settle(): Promise<void> {
    this.#service(true)
    for (const { stop } of this.#stops) stop()
    await this.run(9_000)
  }

  /** Checks that each listener hears exactly the expected speakers, at the expected levels. */
  check(): void {
    for (const [listening, leg] of this.#legs)
      for (const [speaking, other] of this.#legs) {
        const heard = loudness(leg.lately(WINDOW_MS), TONES[speaking]!, 16_000) / PEAK
        const listener = this.#r.relay.find(leg.id)!
        const wanted =
          speaking === listening ? 0 : loudnessFor(this.#r.relay.find(other.id)!, listener, TONES[speaking]!)
        expect(
          Math.abs(heard - wanted),
          `${speaking} at ${listening}: ${heard} instead of ${wanted}`,
        ).toBeLessThan(0.03)
      }
  }

  /** Returns the largest step in any listener's audio. */
  clicks(): number {
    return Math.max(0, ...this.#everyLeg.map(leg => largestStep(leg.between(0, leg.age))))
  }

  #join(who: number, call: string, { speaks, hears }: { speaks: string | null; hears: string | null }): void {
    const id = `party-${++this.#count}`
    const leg = new LiveLeg(id, this.#r.clock, call)
    this.#legs.set(who, leg)
    this.#everyLeg.push(leg)
    this.#r.relay.admit(leg, {
      room: 'r',
      ...(speaks ? { speaks } : {}),
      ...(hears ? { hears } : {}),
      echo: false,
    })
  }

  async #break(who: number, leg: LiveLeg, backMs: number): Promise<void> {
    this.#legs.delete(who)
    if (backMs > 0) {
      void leg.close(broken)
      await this.run(backMs)
    }
    this.#join(who, leg.call!, { speaks: null, hears: null })
    void leg.close({ kind: 'replaced' })
  }

  #announce(party: Participant, ms: number, loop: boolean): () => void {
    const announcement = party.announce({
      name: 'x',
      pcm: tone(350, ms, 16_000, PEAK),
      ...(loop ? { loop } : {}),
    })
    return () => announcement.stop()
  }

  #answer(who: number, ms: number): void {
    const { maker, translator } = this.#r
    const open = translator.connections.filter(c => !c.closed)
    const connection = open[who % Math.max(1, open.length)]
    if (!connection) return
    const audio = maker.encode(tone(400, ms, 16_000, PEAK))
    connection.sink.result({ utterance: String(++this.#count), final: true, text: 'x', audio })
    connection.sink.endOfSpeech()
  }

  #service(up: boolean): void {
    const { translator } = this.#r
    translator.autoReady = up
    for (const connection of translator.connections)
      if (!up) connection.drop(away)
      else if (!connection.closed && !connection.live) connection.sink.ready()
  }

  #speak(who: number, leg: LiveLeg): void {
    const left = this.#stalled.get(who) ?? 0
    if (left >= 20) {
      this.#stalled.set(who, left - 20)
      this.#late.set(who, (this.#late.get(who) ?? 0) + 1)
      return
    }
    const late = this.#late.get(who) ?? 0
    this.#late.delete(who)
    for (let n = late; n >= 0; n--) leg.say(frameOf(TONES[who]!, this.#time - n * 20 + PHASE_MS))
  }

  readonly #late = new Map<number, number>()
}

/** Returns the largest step in `pcm`, after smooth changes are filtered out. */
function largestStep(pcm: Int16Array): number {
  let most = 0
  for (let n = 4; n < pcm.length; n++) {
    const rough = Math.abs(pcm[n]! - 4 * pcm[n - 1]! + 6 * pcm[n - 2]! - 4 * pcm[n - 3]! + pcm[n - 4]!)
    if (rough > most) most = rough
  }
  return most / 3
}

/** Returns 20 ms of a tone whose phase follows the time. */
function frameOf(hz: number, timeMs: number): Int16Array {
  const frame = new Int16Array(FRAME_SAMPLES)
  const from = (((timeMs * 16) % 6_400) + 6_400) % 6_400
  for (let n = 0; n < FRAME_SAMPLES; n++)
    frame[n] = Math.round(PEAK * Math.sin((2 * Math.PI * hz * (from + n)) / 16_000))
  return frame
}

/** Expected level of the original of `speaker` for `listener` without a playing translation. */
function loudnessFor({ state: speaker }: Participant, { state: listener }: Participant, hz: number): number {
  if (!speaker.speaks || speaker.muted) return 0
  const foreign = listener.hears !== undefined && !sameLanguage(speaker.speaks, listener.hears)
  if (!foreign || !speaker.interpreting || !listener.interpreting) return 1
  return {
    off: 0,
    low: gainBelow(20, hz, PEAK, TRANSLATION_DB),
    duck: gainBelow(10, hz, PEAK, TRANSLATION_DB),
  }[listener.original]
}

test('after any actions, each listener hears the expected speakers, without clicks on the way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 24 }), async actions => {
      const r = await rooms({ targetLoudnessDb: TRANSLATION_DB })
      await using _relay = r.relay
      const bustle = new Bustle(r)
      for (const [n, step] of actions.entries()) {
        await bustle.do(step)
        if (n % 8 === 7) {
          await bustle.settle()
          bustle.check()
        }
      }
      await bustle.settle()
      bustle.check()
      // A cut through a tone is a step of up to its peak.
      expect(bustle.clicks()).toBeLessThan(PEAK / 5)
    }),
    { seed: 11, numRuns: 15 },
  )
}, 60_000)
