import { readFile } from 'node:fs/promises'
import { type CallOptions, placeCall } from '../../../simulator/index.ts'
import { type AppConfig, type AppOptions, buildApp } from '../../../src/app/app.ts'
import type { Caption } from '../../../src/core/model/caption.ts'
import type { UtteranceEvent } from '../../../src/core/model/events.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { mono, readWav } from '../../../src/transcode/wav.ts'
import { NEVER_LATE, NEVER_OVERLOADED } from '../service/no-lag.ts'

/** Sample rate of the phone line (Hz). */
export const LINE_RATE = 8_000

/** A complete bridge on loopback and phones that call it, through real sockets. */
export async function bridge(config: Partial<AppConfig> = {}, parts: AppOptions = {}) {
  const app = await buildApp(
    {
      host: '127.0.0.1',
      port: 0,
      service: {},
      languages: { speaks: 'en-us', hears: 'es-es' },
      twilio: { authToken: [], insecure: true },
      embedded: NEVER_LATE,
      limits: NEVER_OVERLOADED,
      ...config,
    },
    parts,
  )
  const address = await app.listen()
  const captions: Caption[] = []
  const utterances: UtteranceEvent[] = []
  app.relay.observer.on('caption', caption => captions.push(caption))
  app.relay.observer.on('utterance', event => utterances.push(event))
  const dial = (query: Record<string, string> = {}, options: Partial<CallOptions> = {}) =>
    placeCall({
      webhook: `${address}/twilio/voice?${new URLSearchParams(query)}`,
      allowInsecureStream: true,
      ...options,
    })
  /** Resolves when `wanted` is true; rejects after `ms`: real engines take real time. */
  const until = async (wanted: () => boolean, ms = 15_000, what = 'the condition') => {
    const deadline = performance.now() + ms
    while (!wanted()) {
      if (performance.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  return { app, address, captions, utterances, dial, until }
}

/** A bundled sentence (1 to 5) as carried by the phone line. */
export async function sentence(number: number): Promise<Int16Array> {
  const file = new URL(`../../../recordings/sense-and-sensibility-${number}.wav`, import.meta.url)
  const wav = readWav(await readFile(file))
  const resampler = createResampler(wav.rate, LINE_RATE)
  return Int16Array.from([...resampler.process(mono(wav)), ...resampler.flush()])
}

/** Share of the spoken words that were recognized, in any order. */
export function recognised(said: string, heard: string): number {
  const words = said.split(' ')
  const found = heard.split(' ')
  return words.filter(word => found.includes(word)).length / words.length
}

/** The speech-like part of the audio: root mean square of each 20 ms, at the line’s rate. */
export function envelope(pcm: Int16Array): number[] {
  const levels: number[] = []
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    let sum = 0
    for (let n = at; n < at + 160; n++) sum += pcm[n]! * pcm[n]!
    levels.push(Math.sqrt(sum / 160))
  }
  return levels
}

/** Similarity of `a` and the best-fitting stretch of `b`, from 0 to 1, in steps of `step` samples. */
export function similarity(a: Int16Array, b: Int16Array, step = 1): { best: number; at: number } {
  let best = 0
  let where = 0
  const energyA = a.reduce((sum, sample) => sum + sample * sample, 0)
  for (let shift = 0; shift + a.length <= b.length; shift += step) {
    let dot = 0
    let energyB = 0
    for (let n = 0; n < a.length; n++) {
      dot += a[n]! * b[shift + n]!
      energyB += b[shift + n]! ** 2
    }
    const r = Math.abs(dot) / (Math.sqrt(energyA * energyB) || 1)
    if (r > best) {
      best = r
      where = shift
    }
  }
  return { best, at: where }
}
