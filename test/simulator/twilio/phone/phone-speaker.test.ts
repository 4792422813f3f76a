import { expect, test } from 'vitest'
import { voiceFrom, voiceOf } from '../../../../src/simulator/index.ts'
import { PhoneSpeaker } from '../../../../src/simulator/twilio/phone/voice.ts'
import { decodeMulaw } from '../../../../src/transcode/g711.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { toneOf } from '../../../support/simulator/pcm.ts'

function pcmOf(packets: (string | undefined)[]): Int16Array {
  const bytes = Buffer.concat(packets.map(packet => Buffer.from(packet ?? '', 'base64')))
  const pcm = new Int16Array(bytes.length)
  decodeMulaw(bytes, pcm)
  return pcm
}

test('a voice is cut into packets of 20 ms, the last one filled up', () => {
  const voice = voiceOf(toneOf(50))
  const packets = [0, 1, 2, 3].map(index => voice.packet(index))
  expect(voice.packets).toBe(3)
  expect(packets.map(packet => packet && Buffer.from(packet, 'base64').length)).toEqual([
    160,
    160,
    160,
    undefined,
  ])
  expect(
    Buffer.from(packets[2]!, 'base64')
      .subarray(80)
      .every(byte => byte === 0xff),
  ).toBe(true)
})

test.each([11_025, 16_000, 24_000, 48_000])('a voice at %i Hz keeps its pitch and length', rate => {
  const pcm = Int16Array.from({ length: rate }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / rate))
  const voice = voiceOf(pcm, rate)
  expect(voice.packets).toBeGreaterThanOrEqual(50)
  expect(voice.packets).toBeLessThanOrEqual(51)
  const heard = pcmOf(Array.from({ length: 48 }, (_, index) => voice.packet(index + 1)))
  expect(loudness(heard.subarray(0, 4000), 440, 8000)).toBeGreaterThan(7600)
})

test('a loop never ends', () => {
  const voice = voiceOf(toneOf(60), 8000, { loop: true })
  expect(voice.packets).toBeUndefined()
  expect(voice.packet(3_000_001)).toBe(voice.packet(1))
  expect(voiceOf(new Int16Array(0), 8000, { loop: true }).packet(0)).toBeUndefined()
})

test('sentences follow each other; each promise resolves to its times', async () => {
  const mouth = new PhoneSpeaker()
  const first = mouth.say(voiceOf(toneOf(40)), 0)
  const second = mouth.say(voiceOf(toneOf(20)), 0)
  expect(mouth.speaking).toBe(true)
  const said = [100, 120, 140, 160].map(due => mouth.packet(due) !== undefined)
  expect(said).toEqual([true, true, true, false])
  expect(await first).toEqual({ startedAt: 100, endedAt: 120, complete: true })
  expect(await second).toEqual({ startedAt: 140, endedAt: 140, complete: true })
  expect(mouth.speaking).toBe(false)
})

test('a voice that is made while it speaks is called when it is due', async () => {
  let asked = 0
  const mouth = new PhoneSpeaker()
  const spoken = mouth.say(
    voiceFrom(
      (function* () {
        for (; asked < 2; asked++) yield new Int16Array(160)
      })(),
    ),
    0,
  )
  expect(asked).toBe(0)
  for (const due of [20, 40, 60]) mouth.packet(due)
  expect(await spoken).toEqual({ startedAt: 20, endedAt: 40, complete: true })
  expect(() => voiceFrom([new Int16Array(161)]).packet(0)).toThrow(RangeError)
})

test('hush and close end started speech', async () => {
  const mouth = new PhoneSpeaker()
  const first = mouth.say(voiceOf(toneOf(100)), 0)
  const second = mouth.say(voiceOf(toneOf(100)), 0)
  mouth.packet(20)
  mouth.hush(30)
  expect(await first).toEqual({ startedAt: 20, endedAt: 30, complete: false })
  expect(await second).toEqual({ startedAt: undefined, endedAt: 30, complete: false })
  mouth.close(40)
  expect(await mouth.say(voiceOf(toneOf(20)), 50)).toEqual({
    startedAt: undefined,
    endedAt: 50,
    complete: false,
  })
})
