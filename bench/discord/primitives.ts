import { randomBytes } from 'node:crypto'
import { Encoder } from '@evan/opus'
import { LinkCounters } from '../../src/bridges/discord/counters.ts'
import { ChannelOutput, OutputPacer } from '../../src/bridges/discord/voice/channel-output.ts'
import { DaveGuard } from '../../src/bridges/discord/voice/dave-guard.ts'
import { VoiceReceiver } from '../../src/bridges/discord/voice/receiver.ts'
import { GCM_MODE, sealed, XCHACHA_MODE } from '../../src/bridges/discord/voice/rtp-packet.ts'
import { SpeakerLeg } from '../../src/bridges/discord/voice/speaker-leg.ts'
import { noopLogger } from '../../src/common/log.ts'
import { FakeClock } from '../../src/simulator/fakes/fake-clock.ts'
import { OpusDecoder, OpusEncoder } from '../../src/transcode/opus.ts'
import { FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import type { Candidate, Row } from '../alternate.ts'
import { speech } from '../speech.ts'

const FRAMES = 200
const ROUNDS = 6
const ROUND_US = 200_000
const NOBODY = { write: () => {}, marked: () => {}, dtmf: () => {} }

/** Cost of one packet of 20 ms on its way in and out, without a network. */
export function discordPrimitives(): Row[] {
  return [...costs('Discord in', incoming()), ...costs('Discord out', outgoing())]
}

/**
 * CPU time of each candidate, in turn; the minimum of all rounds. Rounds are long, because the CPU clock ticks only
 * every few milliseconds on some machines.
 */
function costs(what: string, candidates: readonly Candidate[]): Row[] {
  const least = candidates.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++)
    candidates.forEach(({ frames, run }, nth) => {
      const began = process.threadCpuUsage()
      let done = 0
      let spent = 0
      do {
        run()
        done += frames
        const { user, system } = process.threadCpuUsage(began)
        spent = user + system
      } while (spent < ROUND_US)
      least[nth] = Math.min(least[nth]!, spent / done)
    })
  return candidates.map(({ name }, nth) => {
    const value = least[nth]!
    return { what, candidate: name, value, unit: 'µs per 20 ms', ratio: value / least[0]! }
  })
}

/** Recorded speech as Discord's clients send it: 48 kHz, stereo, 64 kb/s. */
function clientPackets(): Buffer[] {
  const encoder = new Encoder({ channels: 2, sample_rate: 48_000, application: 'voip' })
  encoder.bitrate = 64_000
  const voice = speech()
  const block = new Int16Array(1_920)
  return Array.from({ length: FRAMES }, (_, n) => {
    // Repeats each sample three times: the resulting content above 8 kHz costs the decoder as much as that of a real
    // voice.
    for (let at = 0; at < 1_920; at++) block[at] = voice[n * FRAME_SAMPLES + Math.floor(at / 6)]!
    return Buffer.from(encoder.encode(block))
  })
}

function incoming(): Candidate[] {
  const packets = clientPackets()
  const decoder = new OpusDecoder()
  const clock = new FakeClock()
  const counters = new LinkCounters()
  const leg = (source: VoiceReceiver | undefined) => {
    const nowhere = { listen: () => {}, unlisten: () => {}, ended: new Promise<void>(() => {}) }
    const from = source ? Object.assign(source, { ended: nowhere.ended }) : nowhere
    const made = new SpeakerLeg({
      ...{ id: 'anna', userId: 'anna', source: from, counters, log: noopLogger },
      pacer: new OutputPacer(clock),
    })
    made.attach(NOBODY)
    return made
  }
  const bare = leg(undefined)
  let sequence = 0
  const opened = (mode: string): (() => void) => {
    const key = { mode, key: randomBytes(32) }
    const reception = new VoiceReceiver(clock, counters, new DaveGuard(clock, counters, () => {}))
    reception.use(key)
    leg(reception)
    reception.named('anna', 7)
    let count = 0
    return () => {
      // Packets cannot be sealed in advance, because sequence numbers continue. The cost of sealing is the candidate
      // that is subtracted.
      for (const packet of packets) {
        clock.advance(20)
        reception.datagram(datagram(packet, count++ & 0xffff, key), true)
      }
    }
  }
  let at = 0
  const key = { mode: GCM_MODE, key: randomBytes(32) }
  return [
    {
      name: 'libopus alone',
      frames: FRAMES,
      run: () => {
        for (const packet of packets) decoder.decode(packet)
      },
    },
    {
      name: 'speaker’s leg: order, decode, frames',
      frames: FRAMES,
      run: () => {
        for (const packet of packets) {
          clock.advance(20)
          sequence = (sequence + 1) & 0xffff
          bare.packet(sequence, at++ * 960, 7, packet)
        }
      },
    },
    { name: 'the leg, AES-GCM sealed and opened', frames: FRAMES, run: opened(GCM_MODE) },
    { name: 'the leg, XChaCha20 sealed and opened', frames: FRAMES, run: opened(XCHACHA_MODE) },
    {
      name: 'of that AES-GCM sealing, which the sender does',
      frames: FRAMES,
      run: () => {
        for (const packet of packets) datagram(packet, 1, key)
      },
    },
  ]
}

function datagram(opus: Buffer, sequence: number, key: { mode: string; key: Uint8Array }): Buffer {
  const header = Buffer.alloc(12)
  header[0] = 0x80
  header[1] = 120
  header.writeUInt16BE(sequence, 2)
  header.writeUInt32BE((sequence * 960) >>> 0, 4)
  header.writeUInt32BE(7, 8)
  return sealed(header, opus, key, sequence)
}

function outgoing(): Candidate[] {
  const voice = speech()
  const frames = Array.from({ length: FRAMES }, (_, n) =>
    voice.slice(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES),
  )
  const mono = new OpusEncoder()
  const stereo = new OpusEncoder({ channels: 2 })
  const voip = new Encoder({ channels: 2, sample_rate: 16_000, application: 'voip' })
  voip.bitrate = 32_000
  const doubled = frames.map(frame => Int16Array.from({ length: 640 }, (_, n) => frame[n >> 1]!))
  const encoding = (encoder: OpusEncoder) => () => {
    for (const frame of frames) encoder.encode(frame)
  }
  return [
    { name: 'libopus alone, stereo', frames: FRAMES, run: encoding(stereo) },
    { name: 'libopus alone, mono', frames: FRAMES, run: encoding(mono) },
    {
      name: 'libopus alone, stereo by its speech model, 32 kb/s',
      frames: FRAMES,
      run: () => {
        for (const frame of doubled) voip.encode(frame)
      },
    },
    { name: 'channel’s voice, one ear', frames: FRAMES, run: voiced(frames, 1) },
    { name: 'channel’s voice, two ears mixed', frames: FRAMES, run: voiced(frames, 2) },
  ]
}

function voiced(frames: readonly Int16Array[], ears: number): () => void {
  const clock = new FakeClock()
  const player = { playable: true, play: () => {}, setSpeaking: () => {} }
  const pacer = new OutputPacer(clock)
  const voice = new ChannelOutput({ id: 'c', player, pacer, counters: new LinkCounters() })
  const made = Array.from({ length: ears }, () => voice.openLeg('en-us'))
  for (const ear of made) ear.attach(NOBODY)
  return () => {
    for (const frame of frames) {
      for (const ear of made) ear.play(frame)
      clock.advance(20)
    }
  }
}
