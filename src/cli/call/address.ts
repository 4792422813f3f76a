import { CommandError } from '../command-error.ts'

/** Returns `text` as an http(s) address without a trailing slash. Throws a `CommandError` that names `option`. */
export function httpAddress(option: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return text.replace(/\/+$/, '')
  const meant = /^\d{1,5}$/.test(text) ? `http://localhost:${text}` : `http://${text}`
  const hint = !text.includes('://') && URL.canParse(meant) ? ` (did you mean ${meant}?)` : ''
  throw new CommandError(
    `${option} is "${text}": expected an address that starts with http:// or https://, like http://localhost:8080${hint}`,
  )
}
