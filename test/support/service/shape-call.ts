import { expect } from 'vitest'
import { Mp3Maker, silence, tone } from '../../../simulator/service/scripted-answers.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { concat, FRAME_MS, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { PATIENCE_MS, Rig } from '../faults/service-fault-harness.ts'
import { until } from '../until.ts'
import { type ShapeCell, shapeName } from './result-shapes.ts'

const maker = await Mp3Maker.create()
const VOICE_MS = 400
/** Forms of a positive ack. */
const ACKS = [[true], [], ['ok'], [null, true]] as const

/** The results: text, translation, and the pitch of the voice, if there is one. */
const SAID = [
  ['yes', 'sí', 600],
  ['no', 'no', 900],
  ['yes', 'sí', 600],
  ['yes', 'sí', 600],
  ['hello there', 'hola', undefined],
  ['it is four', 'son las cuatro', 1_200],
] as const

/** The consecutive duration of each pitch, in order (ms). */
function pitchesIn(pcm: Int16Array): { hz: number; ms: number }[] {
  const heard: { hz: number; ms: number }[] = []
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
    const frame = pcm.subarray(at, at + FRAME_SAMPLES)
    const loud = [600, 900, 1_200].map(hz => ({ hz, level: loudness(frame, hz, 16_000) }))
    const { hz, level } = loud.reduce((most, each) => (each.level > most.level ? each : most))
    // The frames at both ends of a voice are partly silent.
    if (level < 4_000) continue
    if (heard.at(-1)?.hz === hz) heard.at(-1)!.ms += FRAME_MS
    else heard.push({ hz, ms: FRAME_MS })
  }
  return heard
}

/**
 * A call over a real socket to a service of this shape: played, captioned, marked and counted like one of the
 * documented protocol.
 */
export async function callOfShape(cell: ShapeCell, number: number): Promise<void> {
  const about = shapeName(cell)
  await using rig = await Rig.open({
    // Many calls at once on a busy machine: none may fail for that.
    client: { mode: cell.mode, deadlines: { connectMs: 15_000, startMs: 15_000 } },
    relay: { ackDeadlineMs: 10_000, connectTimeoutMs: 10_000 },
    service: {
      shape: cell,
      answer: silence,
      faults: { ackWith: ACKS[number % ACKS.length]!, nack: number % 2 },
    },
  })
  const events: string[] = []
  rig.relay.observer.on('utterance', ({ stage, listener, utterance }) => {
    if (listener === 'bob') events.push(`${stage} ${utterance.split('.').at(-1)}`)
  })
  const session = await rig.session(1)
  await until(() => session.fragments > 2, PATIENCE_MS, 'audio')
  const say = ([text, translation, hz]: (typeof SAID)[number]) => {
    session.partial({ text, endMs: 100 })
    session.say({
      text,
      translation,
      endMs: 100,
      ...(hz === undefined ? {} : { audio: maker.tone(hz, VOICE_MS), pcm: tone(hz, VOICE_MS) }),
    })
  }
  for (const said of SAID.slice(0, 5)) say(said)
  await until(() => rig.away.length === 1, PATIENCE_MS, `the original, as a text has no voice: ${about}`)
  say(SAID[5])
  const voiced = ['1', '2', '3', '4', '6']
  await until(
    () => events.filter(each => each.startsWith('heard')).length >= voiced.length,
    PATIENCE_MS,
    about,
  )

  const pitches = pitchesIn(concat(rig.bob.played))
  expect(
    pitches.map(({ hz }) => hz),
    about,
  ).toEqual([600, 900, 600, 1_200])
  const expected = [VOICE_MS, VOICE_MS, 2 * VOICE_MS, VOICE_MS]
  for (const [n, { ms }] of pitches.entries())
    expect(Math.abs(ms - expected[n]!), `voice ${n} of ${about}: ${ms} ms`).toBeLessThanOrEqual(100)
  for (const stage of ['begun', 'heard'])
    expect(
      events.filter(each => each.startsWith(stage)),
      about,
    ).toEqual(voiced.map(each => `${stage} ${each}`))
  const told = new Map<string, unknown>()
  for (const { utterance, final, text, translation } of rig.captions)
    if (final) told.set(utterance.split('.').at(-1)!, [text, translation])
  expect([...told], about).toEqual(SAID.map(([text, translation], n) => [`${n + 1}`, [text, translation]]))
  expect(
    rig.away.map(({ away }) => away),
    about,
  ).toEqual([true, false])
  expect(rig.relay.metrics, about).toMatchObject({
    utterances: voiced.length,
    utterancesVoiceless: 1,
    resultsRepeated: 0,
    mp3InvalidBytes: 0,
    sessionsDropped: 0,
  })
}
