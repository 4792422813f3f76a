/** Number of words of `wanted`, and the minimum number of words to insert, drop or replace in `heard` to get them. */
export interface WordErrors {
  readonly words: number
  readonly errors: number
}

export function wordErrors(wanted: string, heard: string): WordErrors {
  const [want, have] = [wordsOf(wanted), wordsOf(heard)]
  let row = Array.from({ length: have.length + 1 }, (_, column) => column)
  for (const [index, word] of want.entries()) {
    const next = [index + 1]
    for (const [column, other] of have.entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (word === other ? 0 : 1)))
    row = next
  }
  return { words: want.length, errors: row.at(-1)! }
}

/** Overall word error rate, in percent. */
export function errorRate(all: readonly WordErrors[]): number {
  const sum = (key: keyof WordErrors) => all.reduce((total, each) => total + each[key], 0)
  return (100 * sum('errors')) / sum('words')
}

/** Words in the form of the transcripts: lower case, `mr` as `mister`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  return words.map(word => (word === 'mr' ? 'mister' : word))
}
