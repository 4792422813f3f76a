import type { Json } from '../json.ts'

/** An embed as it was sent (Discord: Embed Object). */
export interface Embed extends Json {
  readonly title?: string
  readonly description?: string
  readonly color?: number
  readonly author?: { readonly name: string }
  readonly footer?: { readonly text: string }
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline?: boolean }[]
}

/** Content of a message at one time. */
export interface MessageVersion {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly content: string
  readonly embeds: readonly Embed[]
  /** Action rows and other components, as they were sent. */
  readonly components: readonly Json[]
}

/** All text of a message: its content, then each embed's author, title, description, fields and footer, a line each. */
export function textOf({ content, embeds }: MessageVersion): string {
  const lines = embeds.flatMap(({ author, title, description, fields = [], footer }) => [
    author?.name,
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
    footer?.text,
  ])
  return [content, ...lines].filter(line => line !== undefined && line !== '').join('\n')
}
