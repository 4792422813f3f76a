import { type Access, authorization } from './access.ts'
import { type Caption, readCaption } from './caption.ts'
import type { Wish } from './shown-lines.ts'

export const FORMATS = { srt: 'srt', vtt: 'vtt', text: 'txt' } as const
export type Format = keyof typeof FORMATS

interface Asked {
  readonly room: string
  readonly access: Access
  /** Id of the life of the room; '' for the present one. */
  readonly life: string
}

/** Whole utterances so far, from the server; undefined when it has none. */
export async function readTranscript(asked: Asked): Promise<Caption[] | undefined> {
  const response = await ask(asked, { format: 'json' }).catch(() => undefined)
  if (!response?.ok) return undefined
  const { entries } = (await response.json()) as { entries?: unknown }
  return Array.isArray(entries) ? entries.flatMap(each => readCaption(each) ?? []) : undefined
}

/** Saves what was said as a file. Resolves to what to tell the reader. */
export async function download(asked: Asked, format: Format, { show, language }: Wish): Promise<string> {
  const wish = { format, lines: show, ...(language === '' ? {} : { to: language }) }
  const response = await ask(asked, wish).catch(() => undefined)
  if (!response) return 'The server does not answer.'
  if (!response.ok) return refusal(response.status)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = `captions-${asked.room.replace(/[^\p{L}\p{N}_-]+/gu, '-')}.${FORMATS[format]}`
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  return `Saved as ${link.download}.`
}

function refusal(status: number): string {
  if (status === 401) return 'This link or key is no longer valid.'
  if (status === 404) return 'The server does not keep what was said in a room that has ended.'
  return 'Not just now: please try again.'
}

function ask({ room, access, life }: Asked, wish: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams({ ...wish, ...(life === '' ? {} : { life }) })
  return fetch(`/v1/rooms/${encodeURIComponent(room)}/transcript?${query}`, {
    headers: authorization(access),
    cache: 'no-store',
  })
}
