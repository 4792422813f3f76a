import { expect } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import { OutputPacer } from '../../../src/bridges/discord/voice/channel-output.ts'
import type { PacketSink, PacketSource } from '../../../src/bridges/discord/voice/rtp-packet.ts'
import { SpeakerLeg } from '../../../src/bridges/discord/voice/speaker-leg.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { concat, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import type { FarClient, FarPacket } from './remote-client.ts'

class FakeSource implements PacketSource {
  readonly sinks = new Map<string, PacketSink>()
  readonly over = Promise.withResolvers<void>()
  readonly ended = this.over.promise
  listen(userId: string, sink: PacketSink): void {
    this.sinks.set(userId, sink)
  }
  unlisten(userId: string, sink?: PacketSink): void {
    if (sink === undefined || this.sinks.get(userId) === sink) this.sinks.delete(userId)
  }
}

/** An attached leg, and a remote client’s packets for it. */
export function speakerStage(endOfTurnSilenceMs = 800) {
  const clock = new FakeClock(5_000)
  const pacer = new OutputPacer(clock)
  const source = new FakeSource()
  const counters = new LinkCounters()
  const leg = new SpeakerLeg({
    id: 'anna',
    userId: '1',
    source,
    pacer,
    counters,
    log: noopLogger,
    endOfTurnSilenceMs,
  })
  const frames: Int16Array[] = []
  const marks: string[] = []
  leg.attach({
    write: frame => {
      expect(frame.length).toBe(FRAME_SAMPLES)
      frames.push(frame.slice())
    },
    marked: name => void marks.push(name),
    dtmf: () => {},
  })
  const give = ({ sequence, timestamp, opus }: FarPacket, ssrc = 7) =>
    source.sinks.get('1')?.packet(sequence, timestamp, ssrc, opus)
  /** Packets of `far` in real time. */
  const say = (far: FarClient, hz: number, packets: number) => {
    for (let n = 0; n < packets; n++) {
      give(far.tone(hz))
      clock.advance(far.ms)
    }
  }
  const stop = (far: FarClient) => {
    for (let n = 0; n < 5; n++) {
      give(far.silence())
      clock.advance(20)
    }
  }
  const heard = () => concat(frames)
  /** Number of frames that contain `hz`. */
  const loud = (hz: number) => frames.filter(frame => loudness(frame, hz, 16_000) > 4_000).length
  return { clock, pacer, source, counters, leg, frames, marks, give, say, stop, heard, loud }
}
