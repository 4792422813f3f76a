import { afterEach, describe, expect, test } from 'vitest'
import type { PacketSink } from '../../../../src/bridges/discord/voice/packet-sink.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { OpusDecoder } from '../../../../src/transcode/opus-decoder.ts'
import { OpusEncoder } from '../../../../src/transcode/opus-encoder.ts'
import { FRAME_SAMPLES, joined } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../../helpers/tone.ts'
import { pause, until } from '../../../helpers/until.ts'
import { ANNA, BOT, Stage, type StageOptions } from './stage.ts'

const opened: Stage[] = []
async function open(options?: StageOptions): Promise<Stage> {
  const stage = await Stage.open(options)
  opened.push(stage)
  return stage
}
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage[Symbol.asyncDispose]()
})

class Listener implements PacketSink {
  readonly packets: { sequence: number; timestamp: number; ssrc: number; opus: Uint8Array }[] = []
  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void {
    this.packets.push({ sequence, timestamp, ssrc, opus })
  }
  heard(): Int16Array {
    const decoder = new OpusDecoder()
    return joined(this.packets.map(({ opus }) => decoder.decode(opus)))
  }
}

describe.each([
  ['without end-to-end encryption', false],
  ['with end-to-end encryption', true],
])('%s', (_name, dave) => {
  test('a tone comes in and a tone goes out', async () => {
    const stage = await open({ dave })
    const { link, call } = stage
    const anna = call.addUser(ANNA)
    const listener = new Listener()
    link.listen(ANNA, listener)
    expect(await link.join()).toBeUndefined()
    await until(() => link.playable, 5_000, 'an agreement')
    expect(link.encrypted).toBe(dave)
    await anna.joined
    await anna.say(sine(600, 500))
    await until(() => listener.packets.length >= 30, 5_000, 'packets')
    expect(loudness(listener.heard().subarray(1_600, 6_400), 600, 16_000)).toBeGreaterThan(6_000)
    expect(stage.counters.packets).toBe(30)
    expect(stage.counters.undecryptable + stage.counters.plaintext + stage.counters.tooEarly).toBe(0)

    const encoder = new OpusEncoder({ channels: 2 })
    const tone = sine(440, 400)
    for (let at = 0; at < tone.length; at += FRAME_SAMPLES) {
      link.play(encoder.encode(tone.subarray(at, at + FRAME_SAMPLES)))
      await pause(5)
    }
    await until(() => call.packetsFrom(BOT).frames >= 20, 5_000, 'frames')
    expect(call.packetsFrom(BOT)).toMatchObject({ broken: 0, undecryptable: 0, plaintext: 0, gaps: 0 })
  })
})
