/**
 * Latency of simultaneous translation, as the evaluation campaigns define it: StreamLAAL (Papi et al., "StreamAtt", 2024) and
 * LongYAAL (Polák et al., "Better Late Than Never", 2025). Both compare each word of the translation with an ideal interpreter
 * who speaks evenly from the start to the end of the segment.
 */

/** The translation of one segment of a long recording. */
export interface Segment {
  /** Length of its speech (ms). */
  readonly lengthMs: number
  /** When each word of its translation was there, from the start of the segment (ms). */
  readonly delaysMs: readonly number[]
  /** Number of words of its reference translation. */
  readonly referenceWords: number
  /** End of the whole recording, from the start of the segment (ms). */
  readonly recordingEndMs: number
}

/** Mean of LAAL over the segments: words up to the first one after the end of the segment count. NaN without words. */
export function streamLaal(segments: readonly Segment[]): number {
  return meanOf(segments, (segment, counted) => {
    const { delaysMs, lengthMs } = segment
    if (delaysMs[0]! > lengthMs) return delaysMs[0]!
    const late = delaysMs.findIndex(delay => delay >= lengthMs)
    return counted(late < 0 ? delaysMs.length : late + 1)
  })
}

/** Mean of YAAL over the segments: words after the end of a segment count too, those after the recording do not. */
export function longYaal(segments: readonly Segment[]): number {
  return meanOf(segments, (segment, counted) => {
    const { delaysMs, recordingEndMs } = segment
    const late = delaysMs.findIndex(delay => delay >= recordingEndMs)
    return late === 0 ? undefined : counted(late < 0 ? delaysMs.length : late)
  })
}

/** `score` gets the segment, and a function for the mean lag of its first words behind the ideal interpreter. */
function meanOf(
  segments: readonly Segment[],
  score: (segment: Segment, counted: (words: number) => number) => number | undefined,
): number {
  const scores = segments.flatMap(segment => {
    const { delaysMs, lengthMs, referenceWords } = segment
    if (delaysMs.length === 0 || lengthMs <= 0) return []
    const wordMs = lengthMs / Math.max(delaysMs.length, referenceWords)
    const counted = (words: number) =>
      delaysMs.slice(0, words).reduce((sum, delay, index) => sum + delay - index * wordMs, 0) / words
    return score(segment, counted) ?? []
  })
  return scores.reduce((sum, each) => sum + each, 0) / scores.length
}
