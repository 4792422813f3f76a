import { type Access, authorization } from './access.ts'
import { type Caption, readCaption } from './caption.ts'
import type { Wish } from './caption-store.ts'
import { say } from './words.ts'

export const FORMATS = { srt: 'srt', vtt: 'vtt', text: 'txt' } as const
export type Format = keyof typeof FORMATS

interface Asked {
  readonly room: string
  readonly access: Access
  /** ID of the life of the room; '' for the current one. */
  readonly life: string
}

/** Fetches the complete utterances so far; undefined if the server has none. */
export async function readTranscript(asked: Asked): Promise<Caption[] | undefined> {
  const response = await ask(asked, { format: 'json' }).catch(() => undefined)
  if (!response?.ok) return undefined
  const { entries } = (await response.json()) as { entries?: unknown }
  return Array.isArray(entries) ? entries.flatMap(each => readCaption(each) ?? []) : undefined
}

/** Saves the transcript as a file. Resolves to the message for the reader. */
export async function download(asked: Asked, format: Format, { show, language }: Wish): Promise<string> {
  const wish = { format, lines: show, ...(language === '' ? {} : { to: language }) }
  const response = await ask(asked, wish).catch(() => undefined)
  if (!response) return say('download-silent')
  if (!response.ok) return refusal(response.status)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = `captions-${asked.room.replace(/[^\p{L}\p{N}_-]+/gu, '-')}.${FORMATS[format]}`
  link.click()
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  return say('downloaded', link.download)
}

function refusal(status: number): string {
  if (status === 401) return say('download-refused')
  if (status === 404) return say('download-none')
  return say('download-failed')
}

function ask({ room, access, life }: Asked, wish: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams({ ...wish, ...(life === '' ? {} : { life }) })
  return fetch(`/v1/rooms/${encodeURIComponent(room)}/transcript?${query}`, {
    headers: authorization(access),
    cache: 'no-store',
  })
}
