import type { CallInstructions, Instructions, KeyPlan, StreamPlan } from '../carrier.ts'
import type { Spoken } from '../incoming-call.ts'

/** Attributes of `<Stream>` in addition to its address, by name. */
export type StreamAttributes = Readonly<Record<string, string>>

/**
 * `CallInstructions` in the markup of Twilio (TwiML), which SignalWire (cXML) and Telnyx (TeXML) share up to the
 * attributes of `<Stream>`.
 */
export function callXml(attributes: StreamAttributes = {}): CallInstructions {
  return {
    connectStream: plan => xml(connectStream(plan, attributes)),
    waitAndAsk: (seconds, url) => xml(waitAndAsk(seconds, url)),
    gatherKeys: plan => xml(gatherKeys(plan)),
    playAndHangUp: urls => xml(playAndHangUp(urls)),
    sayAndHangUp: spoken => xml(sayAndHangUp(spoken)),
    reject: reason => xml(reject(reason)),
    hangUp: () => xml(hangUp()),
  }
}

/** A response with an XML document. */
export function xml(body: string): Instructions {
  return { contentType: 'text/xml; charset=utf-8', body }
}

const PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>'

/** Answers the call and streams it in both directions (Twilio: `<Connect>`, `<Stream>`, which drops a query). */
export function connectStream(
  { streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan,
  attributes: StreamAttributes = {},
): string {
  const pause = pauseSeconds > 0 ? `<Pause length="${Math.round(pauseSeconds)}"/>` : ''
  const inner = Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${escapeXml(name)}" value="${escapeXml(value)}"/>`)
    .join('')
  const more = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
  const stream = `<Stream url="${escapeXml(streamUrl)}"${more}>${inner}</Stream>`
  return response(
    `${pause}<Connect>${stream}</Connect><Redirect method="POST">${escapeXml(resumeUrl)}</Redirect>`,
  )
}

/** Pauses for whole seconds, then requests `url` (by POST) for instructions. */
export function waitAndAsk(seconds: number, url: string): string {
  const pause = `<Pause length="${Math.round(seconds)}"/>`
  return response(`${pause}<Redirect method="POST">${escapeXml(url)}</Redirect>`)
}

/** Rejects a call that has not been answered; the caller hears a busy or out-of-service tone. */
export function reject(reason: 'busy' | 'rejected'): string {
  return response(`<Reject reason="${reason}"/>`)
}

/** Answers, speaks the text and hangs up. */
export function sayAndHangUp({ text, language = 'en-US' }: Spoken): string {
  return response(`<Say language="${escapeXml(language)}">${escapeXml(text)}</Say><Hangup/>`)
}

/** Plays sounds and collects keys meanwhile or afterwards (Twilio: `<Gather>`). */
export function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): string {
  const action = escapeXml(actionUrl)
  const number = keys === undefined ? '' : ` numDigits="${Math.round(keys)}"`
  const gather = `<Gather input="dtmf" action="${action}" method="POST"${number} timeout="${Math.round(pauseSeconds)}">`
  // Instructions after the <Gather> run if no key was pressed.
  return response(`${gather}${plays(playUrls)}</Gather><Redirect method="POST">${action}</Redirect>`)
}

/** Plays and hangs up. */
export function playAndHangUp(urls: readonly string[]): string {
  return response(`${plays(urls)}<Hangup/>`)
}

function plays(urls: readonly string[]): string {
  return urls.map(url => `<Play>${escapeXml(url)}</Play>`).join('')
}

export function hangUp(): string {
  return response('<Hangup/>')
}

/** Escapes `text` for an attribute or a text node; replaces characters that XML 1.0 cannot contain with U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"'\t\n\r]/g, char => ENTITIES[char] ?? `&#${char.charCodeAt(0)};`)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters XML 1.0 has no form for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Returns the document with these verbs. */
export function response(verbs: string): string {
  return `${PROLOGUE}<Response>${verbs}</Response>`
}
