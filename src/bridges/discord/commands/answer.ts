/** Result of a command. */
export interface Answer {
  /** Visible only to the user who asked. Discord's Markdown, with all values escaped. */
  readonly text: string
  /** Replaces `text` later. Settles while Discord still accepts it (15 minutes), and never rejects. */
  readonly later?: Promise<string>
  /** Message for everyone, and the channel for it. */
  readonly announcement?: { readonly channelId: string; readonly text: string }
}

/** Maximum length of a message (Discord: Create Message). */
const LONGEST = 2_000

/** Returns `text`, cut at a line break if it is too long for Discord. */
export function fitting(text: string): string {
  if (text.length <= LONGEST) return text
  const cut = text.slice(0, LONGEST - 2)
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), LONGEST / 2))}\n…`
}

/** Turns command names in the text into clickable mentions, which Discord shows in the user's language. */
export function withCommands(text: string, commandId: string): string {
  return text.replace(/`\/(interpret(?: [a-z-]+){1,2})`/g, (_all, path: string) => `</${path}:${commandId}>`)
}
