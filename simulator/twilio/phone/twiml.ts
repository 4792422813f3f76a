import { SaxesParser } from 'saxes'

export type Method = 'GET' | 'POST'

/** An instruction that cannot be followed: the code that Twilio would log before the next verb runs. */
export interface FaultyVerb {
  readonly verb: 'Faulty'
  readonly code: number
  readonly why: string
}

export function faulty(code: number, why: string): FaultyVerb {
  return { verb: 'Faulty', code, why }
}

/** POST, unless `method` is GET. */
function methodOf(method: string | undefined): Method {
  return method?.toUpperCase() === 'GET' ? 'GET' : 'POST'
}

/** Seconds as written; `otherwise` if there is no valid number. */
export function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = Number(text ?? otherwise)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : otherwise
}

/** Number of times that `<Play>` plays: 0 repeats until the call ends. */
function loopOf(element: Element): number {
  const times = Number(element.attributes.get('loop') ?? 1)
  return Number.isInteger(times) && times >= 0 ? times : 1
}

/** Prompts to say and play while waiting for keys. */
export type Prompt =
  | { verb: 'Say'; text: string; language: string | undefined }
  | { verb: 'Play'; url: string; loop: number }
  | { verb: 'Pause'; seconds: number }

/** Keys to gather (TwiML `<Gather>`); speech input is not simulated. */
export interface GatherNoun {
  /** Requested with the digits; if absent, the document's own URL. */
  action: string | undefined
  method: Method
  /** Number of digits that ends it; if absent, there is no limit. */
  numDigits: number | undefined
  /** Ends the input without being a digit of it; empty: no key does. */
  finishOnKey: string
  /** Timeout after the last key, or after the prompts (s). */
  timeoutSeconds: number
  /** Timeout after a key, if it differs (s). */
  keySeconds?: number
  /** Requests `action` even if no key was pressed. */
  actionOnEmptyResult: boolean
  prompts: readonly Prompt[]
}

const FINISH_KEY = /^[0-9*#]?$/
const DEFAULT_SECONDS = 5

/** Reads `<Gather>` as a verb, or as the error that Twilio would log. */
function gatherOf(element: Element): { verb: 'Gather'; gather: GatherNoun } | FaultyVerb {
  const { attributes } = element
  const input = (attributes.get('input') ?? 'dtmf').split(' ')
  if (!input.includes('dtmf')) return faulty(12200, `<Gather input="${input.join(' ')}"> is not modeled`)
  const finishOnKey = attributes.get('finishOnKey') ?? '#'
  if (!FINISH_KEY.test(finishOnKey)) return faulty(13310, `finishOnKey ${JSON.stringify(finishOnKey)}`)
  const digits = attributes.get('numDigits')
  if (digits !== undefined && !/^[1-9]\d{0,3}$/.test(digits)) return faulty(13314, `numDigits ${digits}`)
  const prompts: Prompt[] = []
  for (const child of element.children) {
    const prompt = promptOf(child)
    if (!prompt) return faulty(12200, `<${child.name}> is not allowed in <Gather>`)
    prompts.push(prompt)
  }
  return {
    verb: 'Gather',
    gather: {
      action: attributes.get('action'),
      method: methodOf(attributes.get('method')),
      numDigits: digits === undefined ? undefined : Number(digits),
      finishOnKey,
      timeoutSeconds: secondsOf(attributes.get('timeout'), DEFAULT_SECONDS),
      actionOnEmptyResult: attributes.get('actionOnEmptyResult') === 'true',
      prompts,
    },
  }
}

/** Reads a verb that is allowed alone and in `<Gather>`; undefined for any other. */
function promptOf(element: Element): Prompt | undefined {
  const { name, text, attributes } = element
  switch (name) {
    case 'Say':
      return { verb: 'Say', text: text.trim(), language: attributes.get('language') }
    case 'Play':
      return { verb: 'Play', url: text.trim(), loop: loopOf(element) }
    case 'Pause':
      return { verb: 'Pause', seconds: secondsOf(attributes.get('length'), 1) }
    default:
      return undefined
  }
}

/** An element with its direct content. */
export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: Element[]
  /** Its own text, without that of its children. */
  text: string
}

/** Reads one document. Returns its root, or a description of the error. Never throws. */
export function readXml(text: string): Element | string {
  const document: Element = { name: '', attributes: new Map(), children: [], text: '' }
  const open = [document]
  const append = (content: string) => {
    const element = open.at(-1)
    if (element) element.text += content
  }
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: new Map(Object.entries(attributes)), children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('closetag', () => void open.pop())
  try {
    parser.write(text).close()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return document.children[0] ?? 'no root element'
}

/** Maximum size of a webhook's answer, in bytes (Twilio error 11750). */
export const MAX_TWIML_BYTES = 65_536
/** `name` and `value` of a `<Parameter>` together have fewer characters than this. */
const MAX_PARAMETER_CHARS = 500
const TWILIO_ATTRIBUTES = ['url', 'name', 'track', 'statusCallback', 'statusCallbackMethod']

/** Address and parameters of a stream. */
export interface StreamNoun {
  url: string
  parameters: Readonly<Record<string, string>>
  /** Those that carriers add to Twilio’s; absent: none. */
  attributes?: ReadonlyMap<string, string>
}

/** The verbs that the simulator follows. */
export type Verb =
  | Prompt
  | { verb: 'Gather'; gather: GatherNoun }
  | { verb: 'Connect'; action: string | undefined; method: Method; stream: StreamNoun }
  | { verb: 'Redirect'; url: string; method: Method }
  | { verb: 'Reject'; reason: string }
  | { verb: 'Hangup' }
  | FaultyVerb

export type Twiml = { ok: true; verbs: Verb[] } | { ok: false; code: number; why: string }

export interface TwimlOptions {
  /** Also accepts `ws://` stream URLs, which Twilio rejects: for runs on one machine. */
  allowInsecureStream?: boolean
  /** The call is answered already. */
  answered?: boolean
}

/** Reads an answer to a webhook as strictly as Twilio. Never throws. */
export function parseTwiml(text: string, options: TwimlOptions = {}): Twiml {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TWIML_BYTES) return { ok: false, code: 11750, why: `TwiML of ${bytes} bytes` }
  const root = readXml(text)
  if (typeof root === 'string') return { ok: false, code: 12100, why: root }
  if (root.name !== 'Response')
    return { ok: false, code: 12100, why: `the root element is <${root.name}>, not <Response>` }
  return { ok: true, verbs: root.children.map(child => verbOf(child, options)) }
}

function verbOf(element: Element, options: TwimlOptions): Verb {
  const { name, text, attributes } = element
  switch (name) {
    case 'Gather':
      return gatherOf(element)
    case 'Redirect':
      return text.trim() === ''
        ? faulty(11100, '<Redirect> without a URL')
        : { verb: 'Redirect', url: text.trim(), method: methodOf(attributes.get('method')) }
    case 'Reject':
      return { verb: 'Reject', reason: attributes.get('reason') ?? 'rejected' }
    case 'Hangup':
      return { verb: 'Hangup' }
    case 'Connect':
      return connectOf(element, options)
    default:
      return promptOf(element) ?? faulty(12200, `<${name}> is not modeled by the simulator`)
  }
}

function connectOf(element: Element, options: TwimlOptions): Verb {
  const streams = element.children.filter(child => child.name === 'Stream')
  const [stream] = streams
  if (!stream || element.children.length !== 1) return faulty(12200, '<Connect> needs exactly one <Stream>')
  const track = stream.attributes.get('track') ?? 'inbound_track'
  if (track !== 'inbound_track') return faulty(31941, `track ${track} under <Connect>`)
  const url = streamUrl(stream.attributes.get('url'), options)
  if (typeof url !== 'string') return url
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>
  for (const child of stream.children) {
    const [name, value] = [child.attributes.get('name'), child.attributes.get('value')]
    if (child.name !== 'Parameter' || name === undefined || value === undefined)
      return faulty(12200, '<Stream> takes <Parameter name="…" value="…"/> only')
    if (name.length + value.length >= MAX_PARAMETER_CHARS)
      return faulty(
        12200,
        `<Parameter> ${name} has ${name.length + value.length} characters, 499 are allowed`,
      )
    parameters[name] = value
  }
  const added = new Map([...stream.attributes].filter(([name]) => !TWILIO_ATTRIBUTES.includes(name)))
  return {
    verb: 'Connect',
    action: element.attributes.get('action'),
    method: methodOf(element.attributes.get('method')),
    stream: {
      url,
      parameters: { ...parameters },
      ...(added.size > 0 && { attributes: added }),
    },
  }
}

/** Returns the URL as Twilio uses it, byte for byte, without the query string that it drops. */
function streamUrl(url: string | undefined, options: TwimlOptions): string | Verb {
  const [bare = ''] = (url ?? '').trim().split(/[?#]/)
  if (!URL.canParse(bare)) return faulty(31923, `stream URL ${JSON.stringify(url ?? '')} is malformed`)
  const { protocol } = new URL(bare)
  if (protocol === 'wss:' || (protocol === 'ws:' && options.allowInsecureStream)) return bare
  return faulty(31922, `stream URL starts with ${protocol}`)
}
