import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Answering,
  Mp3Maker,
  PHONE_RATE,
  ScriptedService,
  type ServiceShape,
  tone,
} from '../../../simulator/index.ts'
import { loudness, rms } from '../../../src/transcode/level.ts'
import { Talker } from '../../support/browser/page-client.ts'
import { bridge } from '../../support/e2e/phones.ts'
import { wakeSessions } from '../../support/relay/hello.ts'
import { pause } from '../../support/until.ts'
import { KEY } from '../../support/web/control-harness.ts'

interface Wire {
  readonly name: string
  readonly mode: 'block' | 'streaming'
  readonly shape: ServiceShape
  /** Arguments of an acknowledgment. */
  readonly ack: readonly unknown[]
}

/** As specified in `docs/service/protocol.md`; the others are compared with it. */
const REFERENCE: Wire = { name: 'as in the contract', mode: 'block', shape: {}, ack: [true] }
const OTHERS: readonly Wire[] = [
  { name: 'no ids, no times', mode: 'block', shape: { ids: 'none', times: false }, ack: [] },
  {
    name: 'numbered pieces, base64 mp3',
    mode: 'streaming',
    shape: { ids: 'pieces', form: 'base64', fields: 'plain' },
    ack: [null, true],
  },
  {
    name: 'no final, endSynth without payload',
    mode: 'streaming',
    shape: { ids: 'none', final: false, end: 'nothing' },
    ack: [true],
  },
  {
    name: 'WAV, text and voice apart',
    mode: 'block',
    shape: { ids: 'messages', coding: 'wav', parts: 'apart', end: 'other' },
    ack: [{ ok: true }],
  },
  {
    name: 'raw samples in pieces, one id for the session',
    mode: 'streaming',
    shape: { ids: 'session', coding: 'pcm', fields: 'odd', form: 'typed', end: 'nothing' },
    ack: ['ok'],
  },
]

/** Results: text, translation, pitch of the voice (Hz). A repetition is another utterance. */
const LINES = [
  ['yes', 'sí', 600],
  ['no', 'no', 900],
  ['yes', 'sí', 600],
  ['yes', 'sí', 600],
  ['it is four', 'son las cuatro', 1_200],
] as const
const PITCHES = [600, 900, 1_200]
const VOICE_MS = 500
/** Every speaker plays a tone for each line, different from all pitches above. */
const SAID_HZ = 2_000
const SAID_MS = 400
const PAUSE_MS = 300
/** Whole periods of every pitch, at every rate. */
const WINDOW_MS = 10
const LEVEL_LEAST = 1_000
/** Real sockets and many concurrent calls on a busy machine. */
const PATIENCE_MS = 25_000

const maker = await Mp3Maker.create()

/** Responds with the next line after most of another tone was received, however it was fragmented. */
const answerLines: Answering = session => {
  let loudMs = 0
  let line = 0
  return pcm => {
    for (let at = 0; at + 320 <= pcm.length; at += 320)
      if (rms(pcm.subarray(at, at + 320)) > 500) loudMs += 20
    for (; line < LINES.length && loudMs >= (line + 0.6) * SAID_MS; line++) {
      const [text, translation, hz] = LINES[line]!
      const endMs = session.heardMs
      session.partial({ text, endMs })
      session.say({ text, translation, endMs, audio: maker.tone(hz, VOICE_MS), pcm: tone(hz, VOICE_MS) })
    }
  }
}

interface Pitch {
  readonly hz: number
  readonly ms: number
  /** Decibels below full scale, of the peak. */
  readonly db: number
}

/** The sequence of pitches with duration and level; silence in between is omitted. */
function pitchesIn(pcm: Int16Array, rate: number): Pitch[] {
  const window = (rate * WINDOW_MS) / 1_000
  const runs: { hz: number; levels: number[] }[] = []
  for (let at = 0; at + window <= pcm.length; at += window) {
    const piece = pcm.subarray(at, at + window)
    const levels = PITCHES.map(hz => ({ hz, level: loudness(piece, hz, rate) }))
    const { hz, level } = levels.reduce((most, each) => (each.level > most.level ? each : most))
    if (level < LEVEL_LEAST) continue
    if (runs.at(-1)?.hz !== hz) runs.push({ hz, levels: [] })
    runs.at(-1)!.levels.push(level)
  }
  return runs.map(({ hz, levels }) => ({
    hz,
    ms: levels.length * WINDOW_MS,
    db: 20 * Math.log10(levels.toSorted((a, b) => a - b)[levels.length >> 1]! / 32_768),
  }))
}

interface Outcome {
  readonly phone: Pitch[]
  readonly page: Pitch[]
  readonly marks: number
  readonly unconfirmed: readonly string[]
  readonly complaints: readonly unknown[]
  /** Text and translation of final captions, in order, each once. */
  readonly captions: { phone: unknown[]; page: unknown[] }
  readonly transcript: unknown[]
}

/** A phone call and a visit of the talk page, each alone in a room, with a service of this shape. */
async function callsOver({ mode, shape, ack }: Wire): Promise<Outcome> {
  await using service = await ScriptedService.listen({
    shape,
    answer: answerLines,
    faults: { ackWith: ack },
  })
  const b = await bridge({
    service: { url: service.url, apiKey: service.apiKey, mode },
    relay: { maxLagMs: 60_000 },
    control: { keys: [{ name: 'test', key: KEY }] },
    transcripts: { store: 'memory' },
  })
  try {
    const talker = await Talker.open(b.address)
    await talker.hello()
    const phone = await b.dial({ room: 'desk', speaks: 'en-us', hears: 'es-es' })
    await b.until(() => b.app.relay.legs === 2, PATIENCE_MS, 'that both are there')
    // Sessions open before the first line: a busy machine would otherwise replay it late.
    wakeSessions(b.app.relay, performance.now())
    const live = () =>
      [...b.app.relay.rooms.values()]
        .flatMap(room => [...room.interpretations])
        .filter(i => i.session.state.status === 'live')
    await b.until(() => live().length === 2, PATIENCE_MS, 'that both are translated')
    const said = tone(SAID_HZ, SAID_MS)
    for (const _ of LINES) {
      talker.say(said)
      talker.say(new Int16Array((PAUSE_MS * 16_000) / 1_000))
      await phone.say(tone(SAID_HZ, SAID_MS, PHONE_RATE), PHONE_RATE)
      await pause(PAUSE_MS)
    }
    const heard = () => b.utterances.filter(({ stage }) => stage === 'heard').length
    // The comparison shows what is missing.
    await b.until(() => heard() >= 2 * LINES.length, PATIENCE_MS).catch(() => {})
    await phone.hangUp()
    await b.until(() => !b.app.relay.rooms.has('desk'), PATIENCE_MS, 'the end of the room')

    const ask = async <Answer>(path: string) => {
      const response = await fetch(`${b.address}/v1${path}`, { headers: { authorization: `Bearer ${KEY}` } })
      return (await response.json()) as Answer
    }
    const { transcripts } = await ask<{ transcripts: { id: string }[] }>('/transcripts?room=desk')
    const { entries } = await ask<{ entries: Record<string, unknown>[] }>(
      `/transcripts/${transcripts[0]?.id}`,
    )
    const { marksPlayed, unconfirmedMarks, warnings, errors } = phone.report()
    const finals = new Map<string, unknown>()
    for (const { room, utterance, final, text, translation } of b.captions)
      if (room === 'desk' && final) finals.set(utterance, [text, translation])
    const read = new Map<string, unknown>()
    for (const message of talker.told)
      if (message.kind === 'caption' && message.final)
        read.set(message.utterance, [message.text, message.translation])
    talker.socket.terminate()
    return {
      phone: pitchesIn(phone.heard(), PHONE_RATE),
      page: pitchesIn(talker.pcm, 16_000),
      marks: marksPlayed,
      unconfirmed: unconfirmedMarks,
      complaints: [...warnings, ...errors],
      captions: { phone: [...finals.values()], page: [...read.values()] },
      transcript: entries.map(({ text, translation }) => [text, translation]),
    }
  } finally {
    await b.app.close()
  }
}

const outcomes = new Map<string, PromiseSettledResult<Outcome>>()

// All at once: the wait is for sound.
beforeAll(async () => {
  const wires = [REFERENCE, ...OTHERS]
  const settled = await Promise.allSettled(wires.map(callsOver))
  for (const [n, { name }] of wires.entries()) outcomes.set(name, settled[n]!)
}, 3 * PATIENCE_MS)

function outcomeOf({ name }: Wire): Outcome {
  const outcome = outcomes.get(name)
  if (outcome?.status !== 'fulfilled') throw outcome?.reason
  return outcome.value
}

function alike(heard: readonly Pitch[], wanted: readonly Pitch[]): void {
  expect(heard.map(({ hz }) => hz)).toEqual(wanted.map(({ hz }) => hz))
  for (const [n, { ms, db }] of heard.entries()) {
    expect(Math.abs(ms - wanted[n]!.ms), `length of tone ${n}: ${ms} ms`).toBeLessThanOrEqual(100)
    expect(Math.abs(db - wanted[n]!.db), `level of tone ${n}: ${db} dB`).toBeLessThanOrEqual(1)
  }
}

describe('calls and visits work the same with every shape of service', () => {
  test('the reference is complete', () => {
    const reference = outcomeOf(REFERENCE)
    const texts = LINES.map(([text, translation]) => [text, translation])
    const lengths = [VOICE_MS, VOICE_MS, 2 * VOICE_MS, VOICE_MS]
    for (const pitches of [reference.phone, reference.page]) {
      expect(pitches.map(({ hz }) => hz)).toEqual([600, 900, 600, 1_200])
      for (const [n, { ms }] of pitches.entries())
        expect(Math.abs(ms - lengths[n]!), `length of tone ${n}: ${ms} ms`).toBeLessThanOrEqual(100)
    }
    expect(reference.captions).toEqual({ phone: texts, page: texts })
    expect(reference.transcript).toEqual(texts)
    expect(reference.marks).toBeGreaterThanOrEqual(LINES.length)
  })

  test.each(OTHERS)('$name', wire => {
    const [outcome, reference] = [outcomeOf(wire), outcomeOf(REFERENCE)]
    alike(outcome.phone, reference.phone)
    alike(outcome.page, reference.page)
    const { marks, captions, transcript } = reference
    expect(outcome).toMatchObject({ marks, captions, transcript, unconfirmed: [], complaints: [] })
  })
})
