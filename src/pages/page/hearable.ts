/** Properties of a language: whether the service recognizes and speaks it, and its translation targets. */
interface Language {
  readonly id: string
  readonly heard: boolean
  readonly spoken: boolean
  readonly into: readonly string[]
}

/** Returns the languages that speech in `from` can be translated into and played in. */
export function translated<L extends Language>(languages: readonly L[], from: string): L[] {
  const { into = [] } = languages.find(({ id }) => id === from) ?? {}
  return languages.filter(({ id, spoken }) => spoken && into.includes(id))
}

/** Returns the languages in which any supported speaker can be heard, in the original or translated. */
export function hearable<L extends Language>(languages: readonly L[]): L[] {
  const speakers = languages.filter(({ heard }) => heard)
  return languages.filter(
    ({ id, heard, spoken }) => heard || (spoken && speakers.some(({ into }) => into.includes(id))),
  )
}
