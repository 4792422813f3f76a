/** Words below this confidence are marked. */
const LEAST = 0.5
/** Mark of such a word in captions, and of a translation that is not spoken because of them. */
export const DOUBTFUL_MARK = '(?)'

/** True if most words of a clause are doubtful: it is shown, but not spoken. */
export function isDoubtful(confidence: readonly number[] | undefined): boolean {
  if (!confidence || confidence.length === 0) return false
  return confidence.filter(each => each < LEAST).length * 2 > confidence.length
}

/** Returns `text` with a mark behind each doubtful word. `confidence` is that of its words, 0 to 1. */
export function withDoubts(text: string, confidence: readonly number[] | undefined): string {
  const words = text.match(/\S+/g) ?? []
  if (words.length !== confidence?.length) return text
  let word = 0
  return text.replace(/\S+/g, each => ((confidence[word++] ?? 1) < LEAST ? `${each}${DOUBTFUL_MARK}` : each))
}
