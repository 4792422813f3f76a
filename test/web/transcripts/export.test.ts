import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import webvtt from 'webvtt-parser'
import {
  clockTime,
  cuesOf,
  exported,
  oneLine,
  plainText,
  srt,
  webVtt,
} from '../../../src/web/transcripts/formats.ts'
import type { Transcript, TranscriptEntry } from '../../../src/web/transcripts/transcript.ts'

const SMALL_TALK: TranscriptEntry[] = [
  {
    utterance: 'a.1',
    speaker: 'twilio-1',
    name: 'Anna',
    from: 'en-us',
    to: 'es-es',
    text: 'Good morning.',
    translation: 'Buenos días.',
    startMs: 1_200,
    endMs: 2_345,
  },
  {
    utterance: 'b.1',
    speaker: 'twilio-2',
    from: 'es-es',
    to: 'en-us',
    text: '¿Quién es?',
    translation: 'Who is it?',
    startMs: 3_723_004,
    endMs: 3_724_000,
  },
]
const TRANSCRIPT: Transcript = {
  id: 'life',
  room: 'desk',
  openedAt: '2026-11-20T10:00:00.000Z',
  entries: SMALL_TALK,
  dropped: 0,
}

/** Characters with a meaning in one of the formats, and all others. */
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'a --> b',
    '00:00:01,000 --> 00:00:02,000',
    '\n\n2\n00:00:01,000 --> 00:00:02,000\nghost',
    'NOTE x\n\nSTYLE\n::cue{}',
    'WEBVTT',
    '<b>bold</b> <v Eve>lie</v> &lt; &amp; &nbsp; </v>',
    '{\\an8}up',
    '\ufeff\u202eevil\u2028line\u0000end\r\n',
    '&',
    '42',
    '',
    '   ',
  ),
)
const entries: fc.Arbitrary<TranscriptEntry[]> = fc.array(
  fc
    .record({
      utterance: fc.string(),
      speaker: fc.constantFrom('twilio-1', 'fake-2'),
      name: nasty,
      from: fc.constantFrom('en-us', 'es-419'),
      to: fc.constantFrom('de-de', 'fr-fr'),
      text: nasty,
      translation: nasty,
      startMs: fc.integer({ min: 0, max: 400_000_000 }),
      length: fc.integer({ min: 0, max: 20_000 }),
    })
    .map(({ length, ...entry }) => ({ ...entry, endMs: entry.startMs + length })),
  { maxLength: 8 },
)

describe('SubRip', () => {
  test('has the format that players expect', () => {
    expect(srt(cuesOf(SMALL_TALK))).toBe(
      '1\n00:00:01,200 --> 00:00:02,345\nAnna: Good morning.\nBuenos días.\n\n' +
        '2\n01:02:03,004 --> 01:02:04,000\ntwilio-2: ¿Quién es?\nWho is it?\n',
    )
  })

  /** As players read it: blocks between empty lines, each with a number, two times and text. */
  function read(text: string) {
    if (text === '') return []
    return text
      .trimEnd()
      .split('\n\n')
      .map(block => {
        const [number, times = '', ...lines] = block.split('\n')
        expect(times).toMatch(/^\d{2,}:\d\d:\d\d,\d{3} --> \d{2,}:\d\d:\d\d,\d{3}$/)
        return { number: Number(number), times: times.split(' --> ').map(msOf), lines }
      })
  }

  const msOf = (time: string) => {
    const [hours = 0, minutes = 0, seconds = 0, ms = 0] = time.split(/[:,.]/).map(Number)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms
  }

  test('any speech remains plain text, in its position and at its time', () => {
    fc.assert(
      fc.property(
        entries,
        fc.constantFrom('both' as const, 'original' as const, 'translation' as const),
        (list, lines) => {
          const cues = cuesOf(list, lines)
          const found = read(srt(cues))
          expect(found.map(({ number }) => number)).toEqual(cues.map((_, index) => index + 1))
          expect(found.map(({ times }) => times)).toEqual(cues.map(({ startMs, endMs }) => [startMs, endMs]))
          expect(found.map(each => each.lines.length)).toEqual(cues.map(cue => cue.lines.length))
          for (const each of found) expect(each.lines.join('')).not.toMatch(/[<>{}\r\0]/)
        },
      ),
      { seed: 21, numRuns: 500 },
    )
  })
})

describe('WebVTT', () => {
  const ENTITIES = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

  /** With the W3C’s parser. */
  function read(text: string) {
    const { cues, errors } = new webvtt.WebVTTParser(ENTITIES).parse(text, 'subtitles/captions/descriptions')
    expect(errors).toEqual([])
    return cues
  }

  /** The standard also decodes named characters in a voice’s name (“HTML character reference in annotation state”); this parser does not. */
  const decoded = (name: string) =>
    name.replace(/&(lt|gt|amp);/g, found => ENTITIES[found as keyof typeof ENTITIES])

  test('conforms to the standard', () => {
    const text = webVtt(cuesOf(SMALL_TALK))
    expect(text).toBe(
      'WEBVTT\n\n1\n00:00:01.200 --> 00:00:02.345\n<v Anna><lang en-US>Good morning.</lang>\n<lang es-ES>Buenos días.</lang></v>\n\n' +
        '2\n01:02:03.004 --> 01:02:04.000\n<v twilio-2><lang es-ES>¿Quién es?</lang>\n<lang en-US>Who is it?</lang></v>\n',
    )
    expect(read(text).map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
      [1.2, expect.closeTo(2.345)],
      [3723.004, 3724],
    ])
    expect(read(webVtt([]))).toEqual([])
  })

  test('a parser returns any speech verbatim, with its speaker', () => {
    fc.assert(
      fc.property(entries, list => {
        // In the order in which parsers return them.
        const cues = cuesOf(list).sort((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)
        const found = read(webVtt(cues))
        expect(found).toHaveLength(cues.length)
        for (const [index, { startMs, endMs, speaker, lines }] of cues.entries()) {
          const { tree, startTime, endTime } = found[index]!
          expect([startTime * 1000, endTime * 1000].map(Math.round)).toEqual([startMs, endMs])
          const [voice, ...more] = tree.children
          expect(more).toEqual([])
          expect(voice?.name).toBe('v')
          expect(decoded(voice?.value ?? '')).toBe(speaker)
          const texts = voice!.children!.filter(({ type }) => type === 'object')
          expect(texts.map(({ children }) => children!.map(({ value }) => value).join(''))).toEqual(
            lines.map(({ text }) => text),
          )
        }
      }),
      { seed: 22, numRuns: 500 },
    )
  })
})

describe('plain text', () => {
  test('is readable', () => {
    expect(plainText(cuesOf(SMALL_TALK))).toBe(
      '[00:00:01] Anna (en-us): Good morning.\n    (es-es): Buenos días.\n' +
        '[01:02:03] twilio-2 (es-es): ¿Quién es?\n    (en-us): Who is it?\n',
    )
  })

  test('has one line for each text, with any content', () => {
    fc.assert(
      fc.property(entries, list => {
        const cues = cuesOf(list)
        const lines = plainText(cues).split('\n').slice(0, -1)
        expect(lines).toHaveLength(cues.reduce((sum, cue) => sum + cue.lines.length, 0))
        for (const line of lines)
          expect(line).toMatch(/^(\[\d{2,}:\d\d:\d\d\] .+ |\s{4})\([a-z]+-[a-z0-9]+\): ./)
      }),
      { seed: 23, numRuns: 500 },
    )
  })
})

test('JSON contains all languages, or one on request', () => {
  expect(JSON.parse(exported(TRANSCRIPT, { format: 'json' }))).toEqual(TRANSCRIPT)
  const one = JSON.parse(exported(TRANSCRIPT, { format: 'json', to: 'en-us' }))
  expect(one.entries).toEqual([SMALL_TALK[1]])
  expect(exported(TRANSCRIPT, { format: 'text', to: 'en-us', lines: 'translation' })).toBe(
    '[01:02:03] twilio-2 (en-us): Who is it?\n',
  )
  expect(exported(TRANSCRIPT, { format: 'srt', lines: 'original' })).not.toContain('Buenos')
  expect(exported(TRANSCRIPT, { format: 'vtt' })).toMatch(/^WEBVTT\n/)
})

test('formats times and lines', () => {
  expect(clockTime(359_999_999, ',')).toBe('99:59:59,999')
  expect(clockTime(360_000_000, '.')).toBe('100:00:00.000')
  expect(oneLine(' a\tb\u0000\u2028\u202ec\r\n')).toBe('a b c')
  // A cue needs a duration and a text.
  expect(cuesOf([{ ...SMALL_TALK[0]!, endMs: 1_200, translation: ' ' }])).toMatchObject([
    { startMs: 1_200, endMs: 1_201, lines: [{ text: 'Good morning.' }] },
  ])
  expect(cuesOf([{ ...SMALL_TALK[0]!, translation: '\n' }], 'translation')).toEqual([])
})
