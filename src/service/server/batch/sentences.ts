/** A piece of text that engines take at once never has more characters. */
const MOST = 1_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** The lines of a text, each as its sentences; a very long one is cut between words. Blank lines are empty. */
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
