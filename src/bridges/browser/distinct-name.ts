/**
 * Returns `name` for a participant of a room in which others have the names `taken`: with a number if it is one of
 * them, so that captions, lists and transcripts tell two people apart.
 */
export function distinctName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) if (!taken.has(`${name} ${number}`)) return `${name} ${number}`
}
