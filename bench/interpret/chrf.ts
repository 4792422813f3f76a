const ORDER = 6
/** Recall counts twice as much as precision. */
const BETA = 2

/**
 * chrF of translations against their references, 0 to 100, over the whole corpus (Popović 2015; sacreBLEU's defaults: character
 * n-grams up to 6, no words, blanks removed).
 */
export function chrf(translations: readonly string[], references: readonly string[]): number {
  if (translations.length !== references.length)
    throw new RangeError(`${translations.length} translations have ${references.length} references`)
  let score = 0
  let orders = 0
  for (let order = 1; order <= ORDER; order++) {
    let [matched, made, wanted] = [0, 0, 0]
    for (const [index, translation] of translations.entries()) {
      const own = ngrams(translation, order)
      const reference = ngrams(references[index]!, order)
      for (const [gram, count] of own) {
        matched += Math.min(count, reference.get(gram) ?? 0)
        made += count
      }
      for (const count of reference.values()) wanted += count
    }
    if (made === 0 || wanted === 0) continue
    orders++
    const [precision, recall] = [matched / made, matched / wanted]
    if (precision + recall > 0)
      score += ((1 + BETA ** 2) * precision * recall) / (BETA ** 2 * precision + recall)
  }
  return orders === 0 ? 0 : (100 * score) / orders
}

function ngrams(text: string, order: number): Map<string, number> {
  const letters = Array.from(text.replace(/\s+/g, ''))
  const counts = new Map<string, number>()
  for (let at = 0; at + order <= letters.length; at++) {
    const gram = letters.slice(at, at + order).join('')
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  return counts
}
