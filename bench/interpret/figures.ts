import { longYaal, type Segment, streamLaal } from './latency.ts'
import { SENTENCES } from './material.ts'
import { translated } from './scripted-engines.ts'
import type { CallLog } from './simulate.ts'

/** The figures of one simulated call (s, unless named otherwise). */
export interface Figures {
  /** Ear–voice span: from the end of a word to the first sample of the text whose translation has it. */
  readonly spanP50: number
  readonly spanP90: number
  readonly streamLaal: number
  readonly longYaal: number
  /** Median of what a text is heard later than its voice alone would play it. */
  readonly bridge: number
  /** Growth of the lag (s per minute). */
  readonly lagSlope: number
  /** Words that were spoken and turned out different, per 100. */
  readonly spokenErasure: number
  /** Words of captions that were shown and changed, per 100 words of the final ones. */
  readonly captionErasure: number
  readonly longestGap: number
  /** Share of the voice with two voices at once (%). */
  readonly overlap: number
  /** Words that were never spoken (%). */
  readonly unspoken: number
}

export function figuresOf(log: CallLog): Figures {
  const { script, spoken } = log
  const spans: number[] = []
  const bridge: number[] = []
  const lags: { at: number; lag: number }[] = []
  let word = 0
  let changed = 0
  let aloneUntil = 0
  for (const { text, heardAt, endedAt, spokenAt, lengthMs } of spoken) {
    const texts = text.split(' ')
    const words = script.words.slice(word, word + texts.length)
    word += words.length
    if (heardAt === undefined || spokenAt === undefined || words.length === 0) continue
    changed += words.filter((each, n) => plain(translated(each.text)) !== plain(texts[n]!)).length
    for (const { endMs } of words) spans.push(heardAt - endMs)
    const alone = Math.max(spokenAt, aloneUntil)
    aloneUntil = alone + lengthMs
    bridge.push(heardAt - alone)
    lags.push({ at: words.at(-1)!.endMs / 60_000, lag: (endedAt - words.at(-1)!.endMs) / 1_000 })
  }
  const segments = segmentsOf(log)
  return {
    spanP50: percentile(spans, 0.5) / 1_000,
    spanP90: percentile(spans, 0.9) / 1_000,
    streamLaal: streamLaal(segments) / 1_000,
    longYaal: longYaal(segments) / 1_000,
    bridge: percentile(bridge, 0.5) / 1_000,
    lagSlope: slope(lags),
    spokenErasure: (100 * changed) / Math.max(1, word),
    captionErasure: captionErasure(log),
    longestGap: log.longestGapMs / 1_000,
    overlap: (100 * log.doubleFrames) / Math.max(1, log.voiceFrames),
    unspoken: 100 * (1 - spans.length / script.words.length),
  }
}

/** The recording as SimulEval logs an instance, which OmniSTEval reads, too. */
export function instanceOf(log: CallLog, source: string): object {
  const words = emissions(log)
  const reference = Array.from(
    new Set(log.script.words.map(({ sentence }) => sentence)),
    sentence => SENTENCES[sentence % SENTENCES.length]!.es,
  ).join(' ')
  return {
    index: 0,
    prediction: words.map(({ text }) => text).join(' '),
    delays: words.map(({ atMs }) => Math.round(atMs)),
    elapsed: words.map(({ atMs }) => Math.round(atMs)),
    prediction_length: words.length,
    reference,
    source: [source],
    source_length: log.script.lengthMs,
  }
}

/** The words of the translation in the order of the script, with the time at which a caption first had them (ms). */
function emissions({ captions }: CallLog): { text: string; atMs: number }[] {
  const utterances = new Map<string, { words: string[]; times: number[] }>()
  for (const { utterance, translation, atMs } of captions) {
    if (translation === '') continue
    const known = utterances.get(utterance) ?? { words: [], times: [] }
    utterances.set(utterance, known)
    // The scripted translator changes number words: the marks for lost figures are no part of the translation.
    known.words = translation.replace(/ \[[^\]]*\]/g, '').split(' ')
    while (known.times.length < known.words.length) known.times.push(atMs)
  }
  return Array.from(utterances.values()).flatMap(({ words, times }) =>
    words.map((text, n) => ({ text, atMs: times[n]! })),
  )
}

/** The sentences of the script, each with the words of the translation that are its own: they correspond one to one. */
function segmentsOf(log: CallLog): Segment[] {
  const words = emissions(log)
  const bySentence = Map.groupBy(
    log.script.words.map((word, n) => ({ ...word, emitted: words[n] })),
    ({ sentence }) => sentence,
  )
  return Array.from(bySentence.values(), sentence => {
    const { startMs } = sentence[0]!
    return {
      lengthMs: sentence.at(-1)!.endMs - startMs,
      delaysMs: sentence.flatMap(({ emitted }) => (emitted ? [emitted.atMs - startMs] : [])),
      referenceWords: sentence.length,
      recordingEndMs: log.script.lengthMs - startMs,
    }
  })
}

function captionErasure({ captions }: CallLog): number {
  let erased = 0
  let words = 0
  for (const own of Map.groupBy(captions, ({ utterance }) => utterance).values()) {
    let shown: string[] = []
    for (const { text } of own) {
      const next = text.split(' ').filter(Boolean)
      const kept = shown.findIndex((word, n) => next[n] !== word)
      if (kept >= 0) erased += shown.length - kept
      shown = next
    }
    words += shown.length
  }
  return (100 * erased) / Math.max(1, words)
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Least squares. */
function slope(points: readonly { at: number; lag: number }[]): number {
  const mean = (pick: (point: { at: number; lag: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [at, lag] = [mean(point => point.at), mean(point => point.lag)]
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  return points.reduce((sum, point) => sum + (point.at - at) * (point.lag - lag), 0) / spread
}
