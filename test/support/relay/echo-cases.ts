import { expect } from 'vitest'
import { rms } from '../../../src/transcode/level.ts'
import { concat, FRAME_SAMPLES, samplesOf } from '../../../src/transcode/pcm.ts'
import { recording } from '../transcode/speech-signal.ts'
import { type EchoRoomOptions, type EchoWay, echoRoom, ROOMS } from './echo-room.ts'

/** The echo path of each kind of leg. */
export const KINDS: Readonly<Record<string, Omit<EchoWay, 'db'>>> = {
  telephone: { delayMs: 184, mulaw: true, reflections: ROOMS.small },
  'distant phone': { delayMs: 593.7, mulaw: true, reflections: ROOMS.large },
  browser: { delayMs: 87.3, reflections: ROOMS.large },
  'wireless headset': { delayMs: 312.5 },
}

export type Original = 'off' | 'low' | 'duck'
export const ORIGINALS: readonly Original[] = ['off', 'low', 'duck']
/** Levels of the echo (dB). */
export const ECHO_DB: readonly number[] = [-60, -30, -12, -6]

/** Whole frames of `pcm` in a voice that is higher and faster by `factor`. */
export function voiceOf(pcm: Int16Array, factor: number): Int16Array {
  const length = Math.floor(pcm.length / factor / FRAME_SAMPLES) * FRAME_SAMPLES
  return Int16Array.from({ length }, (_, n) => pcm[Math.min(pcm.length - 1, Math.floor(n * factor))]!)
}

/** Anna and Ben in a room, both with an echo; translations are played in `voices`. */
export async function call(kind: string, db: number, original: Original, options: EchoRoomOptions) {
  const way = { ...KINDS[kind]!, db }
  const r = await echoRoom(options)
  r.join('anna', { speaks: 'en-us', hears: 'en-us', original }, way)
  const ben = r.join('ben', { speaks: 'es-es', hears: 'es-es', original }, way)
  await r.run(400)
  return { ...r, ben, way }
}

/** Anna says one sentence; returns everything recognized in 12 s. */
export async function oneSentence(kind: string, db: number, original: Original, relay = {}) {
  const voices = [voiceOf(recording(5), 1.2), voiceOf(recording(2), 0.85), voiceOf(recording(4), 1.1)]
  const r = await call(kind, db, original, { voices, relay })
  r.say('anna', recording(3))
  await r.run(12_000)
  await r.relay.close()
  return r
}

/** Anna's sentence is translated, and its echo is not. */
export async function expectOneTranslation(kind: string, db: number, original: Original): Promise<void> {
  const { understood, utterances } = await oneSentence(kind, db, original)
  expect(understood).toEqual([expect.objectContaining({ from: 'en-us', to: 'es-es' })])
  expect(utterances.filter(({ stage }) => stage === 'begun')).toHaveLength(1)
}

/**
 * Ben speaks during a translation, `known` or not whether his line has an echo; returns the share of his speech that
 * the service receives, by frames.
 */
export async function spokenOver(kind: string, db: number, known: boolean): Promise<number> {
  const r = await call(kind, db, 'off', { voices: [voiceOf(concat([recording(1), recording(4)]), 1.15)] })
  if (known) {
    r.say('anna', recording(2))
    await r.run(16_000)
  }
  r.say('anna', recording(2))
  await r.run(5_000)
  const { sent } = r.connection('es-es', 'en-us')
  const sentFrames = () => sent.reduce((sum, { bytes }) => sum + bytes.length / 2 / FRAME_SAMPLES, 0)
  const before = r.relay.find('ben')!.frames
  const sentBefore = sentFrames()
  const said = concat([recording(5), recording(3)])
  r.say('ben', said)
  await r.run(12_000)
  await r.relay.close()
  const got = concat(sent.map(({ bytes }) => samplesOf(bytes)))
  if (sentBefore > before) throw new RangeError(`${sentBefore} frames were sent of ${before}`)
  const speech = speechFrames(said)
  let all = 0
  let kept = 0
  for (const [n, spoken] of speech.entries()) {
    if (!spoken) continue
    const at = (before + n) * FRAME_SAMPLES
    all++
    if (at + FRAME_SAMPLES <= got.length && rms(got.subarray(at, at + FRAME_SAMPLES)) > 0) kept++
  }
  return kept / all
}

/** Ben repeats what he has just heard, in the same voice, `afterMs` later; returns whether it is recognized. */
export async function repeated(
  kind: string,
  db: number,
  sentence: number,
  afterMs: number,
): Promise<boolean> {
  const words = ['one', 'shall we meet at four', 'at four', 'the train is late', 'late', 'yes please']
  const voice = voiceOf(recording(sentence), 1.15)
  const text = words[sentence]!
  const r = await call(kind, db, 'off', { voices: [voice], text: () => ({ text, translation: text }) })
  r.say('anna', recording(2))
  await r.run(3_900 + voice.length / 16 + afterMs)
  r.say('ben', voice)
  await r.run(voice.length / 16 + 2_500)
  await r.relay.close()
  return r.captions.filter(({ speaker, final }) => speaker === 'ben' && final).length === 1
}

/** Frames of `pcm` that are speech: within 24 dB of the loudest. */
function speechFrames(pcm: Int16Array): boolean[] {
  const levels = Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, n) =>
    rms(pcm.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES)),
  )
  const least = Math.max(...levels) * 0.063
  return levels.map(level => level > least)
}
