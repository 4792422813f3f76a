/** What a command comes to. */
export interface Answer {
  /** For the asker alone. Discord's Markdown, nothing in it that others may have slipped in. */
  readonly text: string
  /** Takes the place of `text` when it is known; settles while Discord still takes it (15 minutes), and never rejects. */
  readonly later?: Promise<string>
  /** What everybody should know, and in which channel they read it. */
  readonly announcement?: { readonly channelId: string; readonly text: string }
}

/** The longest message that Discord takes (Discord: Create Message). */
const LONGEST = 2_000

/** `text`, cut between lines so that Discord takes it. */
export function fitting(text: string): string {
  if (text.length <= LONGEST) return text
  const cut = text.slice(0, LONGEST - 2)
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), LONGEST / 2))}\n…`
}

/** Names of commands in the text as Discord shows them best: in the user's language, to be clicked. */
export function withCommands(text: string, commandId: string): string {
  return text.replace(/`\/(interpret(?: [a-z-]+){1,2})`/g, (_all, path: string) => `</${path}:${commandId}>`)
}
