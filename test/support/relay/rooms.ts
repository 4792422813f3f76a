import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import type { Caption } from '../../../src/core/model/caption.ts'
import type { UtteranceEvent } from '../../../src/core/model/events.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { LogLines } from '../log-lines.ts'
import { LiveLeg } from './live-leg.ts'

/** Changes to the setup of `rooms`. */
interface RoomsOptions {
  /**
   * True (default): sessions are open although nobody speaks, for tests that only play the service. False: they open when
   * their speaker speaks, as in a call.
   */
  readonly awake?: boolean
  readonly translator?: FakeTranslator
  readonly fallbacks?: readonly FakeTranslator[]
}

/** A relay on a simulated clock, with legs and a service that the test plays; voices are not normalized. */
export async function rooms(
  options: Parameters<typeof relayOptions>[0] = {},
  { awake = true, translator = new FakeTranslator(), fallbacks = [] }: RoomsOptions = {},
) {
  const clock = new FakeClock(1_000)
  const log = new LogLines()
  const relay = new Relay({
    translator,
    fallbacks,
    options: relayOptions({ normalizeLoudness: false, ...options }),
    clock,
    log,
    random: () => 0.5,
  })
  const captions: Caption[] = []
  const utterances: UtteranceEvent[] = []
  relay.observer.on('caption', caption => captions.push(caption))
  relay.observer.on('utterance', event => utterances.push(event))
  await relay.ready()
  const maker = await Mp3Maker.create()
  const legs = new Map<string, FakeLeg>()
  const speaking = new Map<string, { pcm: Int16Array; at: number }>()

  const join = (id: string, invitation: Partial<Invitation> = {}) => {
    const leg = new FakeLeg(id)
    legs.set(id, leg)
    relay.admit(leg, { room: 'r', ...invitation })
    return leg
  }
  /** The same with a leg that hears in real time and confirms marks. */
  const live = (id: string, invitation: Partial<Invitation> = {}, call?: string) => {
    const leg = new LiveLeg(id, clock, call)
    legs.set(id, leg)
    relay.admit(leg, { room: 'r', ...invitation })
    return leg
  }
  /** From now on `id` says `pcm`, frame by frame as time advances; then silence. */
  const say = (id: string, pcm: Int16Array) => speaking.set(id, { pcm, at: 0 })
  const silent = new Int16Array(FRAME_SAMPLES)
  let turns = 0
  const wake = () => {
    for (const { interpretations } of relay.rooms.values())
      for (const { session } of interpretations) session.wake(clock.now())
  }
  /**
   * Advances time by `ms`: every 20 ms each leg's participant delivers a frame, at uneven moments as on a real machine;
   * the time at the end is exact.
   */
  const run = async (ms: number) => {
    const since = clock.now()
    for (let t = 0; t < ms; t += 20) {
      if (awake) wake()
      for (const [id, leg] of legs) {
        if (leg.over) continue
        const speech = speaking.get(id)
        const frame = speech?.pcm.subarray(speech.at, speech.at + FRAME_SAMPLES)
        if (speech) speech.at += FRAME_SAMPLES
        leg.uplink?.write(frame?.length === FRAME_SAMPLES ? frame : silent)
      }
      // 1,024ths, so that sums stay exact.
      const late = t + 20 < ms ? ((++turns * 389) % 900) / 1_024 : 0
      // Two concurrent runs share the time.
      clock.advance(Math.max(0, since + t + 20 + late - clock.now()))
      // Fakes answer in microtasks.
      await Promise.resolve()
    }
  }
  /** The newest open connection from `speaker`'s language into `to`. */
  const connection = (from: string, to: string) => {
    const found = translator.connections.findLast(c => c.request.from === from && c.request.to === to)
    if (!found) throw new RangeError(`no connection ${from} to ${to}`)
    return found
  }
  /** The service answers on that connection with a tone. */
  const answer = (from: string, to: string, hz: number, ms: number, id = '1') => {
    const { sink } = connection(from, to)
    sink.result({
      utterance: id,
      final: true,
      text: `${from} ${id}`,
      translation: `${to} ${id}`,
      audio: maker.tone(hz, ms),
    })
    sink.endOfSpeech()
  }
  return {
    log,
    clock,
    relay,
    translator,
    captions,
    utterances,
    maker,
    legs,
    join,
    live,
    say,
    run,
    connection,
    answer,
  }
}
