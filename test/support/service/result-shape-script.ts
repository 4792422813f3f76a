import { expect } from 'vitest'
import { Mp3Maker, tone } from '../../../simulator/service/scripted-answers.ts'
import { ShapedAnswers } from '../../../simulator/service/service-shape.ts'
import { ResultReader } from '../../../src/service/client/result-reader.ts'
import { UtteranceNumbers, type VoiceMode } from '../../../src/service/client/utterance-numbers.ts'
import { type ShapeCell, shapeName } from './result-shapes.ts'

/** Utterances: text, translation, and the pitch of the speech, if any. */
const SAID = [
  ['yes', 'sí', 600],
  ['no', 'no', 900],
  ['yes', 'sí', 600],
  ['yes', 'sí', 600],
  ['hello there', 'hola', undefined],
  ['it is four', 'son las cuatro', 1_200],
  ['and a quarter', 'y cuarto', 700],
  ['and a half', 'y media', 1_500],
] as const

const VOICE_MS = 120
const PIECE_BYTES = 500

const maker = await Mp3Maker.create()

type Event = { result: unknown } | { end: unknown[] }

/** Events of a service of this shape. Interim text of the next utterance arrives during the speech of the sixth. */
function eventsOf(cell: ShapeCell): { events: Event[]; voices: (Uint8Array | undefined)[] } {
  const shaped = new ShapedAnswers(cell)
  const events: Event[] = []
  const voices: (Uint8Array | undefined)[] = []
  const tell = (result: Parameters<ShapedAnswers['payload']>[0]) =>
    events.push({ result: shaped.payload(result) })
  SAID.forEach(([text, translation, hz], n) => {
    const id = String(n + 1)
    const voice = hz && shaped.voice({ mp3: maker.tone(hz, VOICE_MS), pcm: tone(hz, VOICE_MS) })
    voices.push(voice || undefined)
    const size = cell.mode === 'block' ? Number.POSITIVE_INFINITY : PIECE_BYTES
    const pieces: Uint8Array[] = []
    for (let at = 0; voice && at < voice.length; at += size) pieces.push(voice.slice(at, at + size))
    const interim = (words: string, of = id) => {
      if (shaped.tellsFinal) tell({ id: of, final: false, text: words })
    }
    if (n !== 6) interim(text.slice(0, 2))
    interim(text)
    const results = shaped.results(
      { id, final: true, text, translation, endMs: 1_000 * (n + 1) },
      pieces,
      16_000,
    )
    results.forEach((result, at) => {
      tell(result)
      if (n === 5 && at < results.length - 1) interim('and', '7')
    })
    if (n === 5) interim('and a', '7')
    events.push({ end: shaped.end(id) })
  })
  return { events, voices }
}

interface Heard {
  text?: string | undefined
  translation?: string | undefined
  voice: Uint8Array[]
  interim: string[]
}

/** Result of the client: utterances in order, and the order in which they ended. */
function heardFrom(events: readonly Event[], mode: VoiceMode) {
  const reader = new ResultReader()
  const numbers = new UtteranceNumbers(mode)
  const heard = new Map<string, Heard>()
  const ends: number[] = []
  let now = 0
  for (const event of events) {
    now += 100
    if ('end' in event) {
      ends.push([...heard.keys()].indexOf(numbers.end(reader.read(event.end[0]).name)) + 1)
      continue
    }
    const result = reader.read(event.result)
    const name = numbers.of(result, now)
    const entry = heard.get(name) ?? { voice: [], interim: [] }
    heard.set(name, entry)
    if (result.final === false) {
      if (result.text && entry.interim.at(-1) !== result.text) entry.interim.push(result.text)
    } else {
      entry.text = result.text ?? entry.text
      entry.translation = result.translation ?? entry.translation
    }
    if (result.audio) entry.voice.push(result.audio)
  }
  return { heard: [...heard.values()], ends }
}

/** Expects the same utterances, speech and ends from a service of this shape as from a conforming one. */
export function expectAlike(cell: ShapeCell): void {
  const { events, voices } = eventsOf(cell)
  const { heard, ends } = heardFrom(events, cell.mode)
  const about = shapeName(cell)
  expect(
    heard.map(({ text, translation }) => [text, translation]),
    about,
  ).toEqual(SAID.map(([text, translation]) => [text, translation]))
  const wrong = heard.findIndex(({ voice }, n) => !Buffer.concat(voice).equals(voices[n] ?? Buffer.alloc(0)))
  expect(wrong, `voice of ${about}`).toBe(-1)
  expect(ends, about).toEqual(SAID.map((_, n) => n + 1))
  if (cell.final) expect(heard[6]?.interim.slice(-2), about).toEqual(['and a', 'and a quarter'])
}
