/** Words for Twilio to speak; `language` is one of Twilio's tags, `en-US` by default. */
export interface Spoken {
  readonly text: string
  readonly language?: string
}

/** Where a call's stream goes, and where the call goes when the stream is gone. */
export interface StreamPlan {
  /** `wss://…`; Twilio drops a query. */
  readonly streamUrl: string
  /** Arrive in `start.customParameters`; name and value together under 500 characters (Twilio: `<Stream>`). */
  readonly parameters: Readonly<Record<string, string>>
  /** Fetched by POST once the stream has closed while the call lives (Twilio: `<Connect>`). */
  readonly resumeUrl: string
  /** Silence before the stream opens, in whole seconds. */
  readonly pauseSeconds?: number
}

const PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>'

/** Answers the call and streams it both ways. */
export function connectStream({ streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan): string {
  const pause = pauseSeconds > 0 ? `<Pause length="${Math.round(pauseSeconds)}"/>` : ''
  const inner = Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${escapeXml(name)}" value="${escapeXml(value)}"/>`)
    .join('')
  const stream = `<Stream url="${escapeXml(streamUrl)}">${inner}</Stream>`
  return response(
    `${pause}<Connect>${stream}</Connect><Redirect method="POST">${escapeXml(resumeUrl)}</Redirect>`,
  )
}

/** Says nothing for some whole seconds, then asks at `url` (by POST) how to go on. */
export function waitAndAsk(seconds: number, url: string): string {
  const pause = `<Pause length="${Math.round(seconds)}"/>`
  return response(`${pause}<Redirect method="POST">${escapeXml(url)}</Redirect>`)
}

/** Declines a call that was not answered yet; the caller hears a busy tone or that the number is not in service. */
export function reject(reason: 'busy' | 'rejected'): string {
  return response(`<Reject reason="${reason}"/>`)
}

/** Answers, says so, and hangs up. */
export function sayAndHangUp({ text, language = 'en-US' }: Spoken): string {
  return response(`<Say language="${escapeXml(language)}">${escapeXml(text)}</Say><Hangup/>`)
}

/** Sounds that ask for keys, and where the keys go. */
export interface KeyPlan {
  readonly playUrls: readonly string[]
  /** Asked by POST with `Digits`, or without them when no key was pressed. */
  readonly actionUrl: string
  /** So many keys are an answer; absent: up to `#`, or a pause. */
  readonly keys?: number
  /** The pause that ends an answer, in whole seconds. */
  readonly pauseSeconds: number
}

/** Plays, and takes the keys that are pressed meanwhile or after it (Twilio: `<Gather>`). */
export function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): string {
  const action = escapeXml(actionUrl)
  const number = keys === undefined ? '' : ` numDigits="${Math.round(keys)}"`
  const gather = `<Gather input="dtmf" action="${action}" method="POST"${number} timeout="${Math.round(pauseSeconds)}">`
  // What comes after the <Gather> runs when no key was pressed.
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

/** `text` for an attribute or a text node: markup escaped, what XML 1.0 cannot hold replaced by U+FFFD. */
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

function response(verbs: string): string {
  return `${PROLOGUE}<Response>${verbs}</Response>`
}
