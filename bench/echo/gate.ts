import { RelayMetrics } from '../../src/core/model/relay-metrics.ts'
import { EchoReference } from '../../src/core/playout/echo-reference.ts'
import { EchoGate } from '../../src/core/room/echo-gate.ts'
import { rms } from '../../src/transcode/level.ts'
import { FRAME_MS, FRAME_SAMPLES, SILENT_FRAME } from '../../src/transcode/pcm.ts'
import { speech } from '../speech.ts'

const FRAMES = 20_000
const ROUNDS = 5

export interface GateCost {
  what: string
  /** Processor time for one frame in and one frame out (µs); the minimum of several rounds. */
  us: number
}

/** Cost of the gate per leg, depending on the played audio. */
export function benchGate(): GateCost[] {
  const voice = framesOf(speech())
  const echo = (at: number) => voice.soft[(at + voice.soft.length - 9) % voice.soft.length]!
  const own = (at: number) => voice.loud[(at * 7) % voice.loud.length]!
  return [
    { what: 'no audio plays', us: cost(false, own, voice.loud) },
    { what: 'audio plays without an echo', us: cost(true, () => SILENT_FRAME, voice.loud) },
    { what: 'audio plays with an echo', us: cost(true, echo, voice.loud) },
    { what: 'the participant speaks over it', us: cost(true, own, voice.loud) },
  ]
}

function cost(plays: boolean, heard: (at: number) => Int16Array, played: readonly Int16Array[]): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const reference = new EchoReference()
    const gate = new EchoGate(new RelayMetrics(), () => {})
    gate.references = [reference]
    const before = process.cpuUsage()
    for (let at = 0; at < FRAMES; at++) {
      if (plays) reference.add(played[at % played.length]!, at * FRAME_MS)
      const frame = heard(at)
      gate.write(frame, rms(frame), at * FRAME_MS)
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / FRAMES)
  }
  return best
}

function framesOf(pcm: Int16Array): { loud: Int16Array[]; soft: Int16Array[] } {
  const loud: Int16Array[] = []
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES)
    loud.push(pcm.subarray(at, at + FRAME_SAMPLES))
  return { loud, soft: loud.map(frame => frame.map(sample => sample >> 2)) }
}
