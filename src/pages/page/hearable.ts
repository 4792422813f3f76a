/** What must be known of a language: whether the service understands and speaks it, and what it translates it into. */
interface Language {
  readonly id: string
  readonly heard: boolean
  readonly spoken: boolean
  readonly into: readonly string[]
}

/** Those that somebody who speaks `from` can be translated into, and be heard in. */
export function translated<L extends Language>(languages: readonly L[], from: string): L[] {
  const { into = [] } = languages.find(({ id }) => id === from) ?? {}
  return languages.filter(({ id, spoken }) => spoken && into.includes(id))
}

/** Those in which anybody who is understood can be heard: as they are, or translated. */
export function hearable<L extends Language>(languages: readonly L[]): L[] {
  const speakers = languages.filter(({ heard }) => heard)
  return languages.filter(
    ({ id, heard, spoken }) => heard || (spoken && speakers.some(({ into }) => into.includes(id))),
  )
}
