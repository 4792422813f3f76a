/** Maximum length of a text passed to an engine (characters). */
const MOST = 1_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Splits a text into lines and each line into sentences; a very long sentence is split between words. Blank lines are
 * empty lists.
 */
export function linesOfSentences(text: string): string[][] {
  return text.split(/\r\n|\r|\n/).map(line =>
    Array.from(segmenter.segment(line), ({ segment }) => segment.trim())
      .filter(sentence => sentence !== '')
      .flatMap(pieces),
  )
}

function pieces(sentence: string): string[] {
  const cut: string[] = []
  let rest = sentence
  while (rest.length > MOST) {
    const blank = rest.lastIndexOf(' ', MOST)
    const at = blank > 0 ? blank : MOST
    cut.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return [...cut, rest]
}
