import type { LanguageId } from '../../core/languages.ts'
import type { ReceiveAudio, SendAudio } from '../contract.ts'

/** Sockets speak `http(s)`; the service's base address without a trailing slash. Throws on anything else. */
export function baseUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new RangeError(`the service's address is http:// or https://, got "${url}"`)
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}

/** The query of a connection, section 2.3 of the interface: the two objects travel as JSON strings. */
export function connectionQuery(request: {
  from: LanguageId
  to?: LanguageId
  sendAudio: SendAudio
  receiveAudio?: ReceiveAudio
}): Record<string, string> {
  return {
    languageIdSource: request.from,
    ...(request.to ? { languageIdTarget: request.to } : {}),
    sendAudio: JSON.stringify(request.sendAudio),
    ...(request.receiveAudio ? { receiveAudio: JSON.stringify(request.receiveAudio) } : {}),
    partials: 'true',
  }
}
