import { type FaultyVerb, faulty, type Method, methodOf } from './attributes.ts'
import { type GatherNoun, gatherOf, type Prompt, promptOf } from './gather-verb.ts'
import { type Element, readXml } from './xml.ts'

/** Maximum size of a webhook's answer, in bytes (Twilio error 11750). */
export const MAX_TWIML_BYTES = 65_536
/** `name` and `value` of a `<Parameter>` together have fewer characters than this. */
const MAX_PARAMETER_CHARS = 500

/** Address and parameters of a stream. */
export interface StreamNoun {
  url: string
  name: string | undefined
  statusCallback: string | undefined
  statusCallbackMethod: Method
  parameters: Readonly<Record<string, string>>
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
      return promptOf(element) ?? faulty(12200, `<${name}> is not modelled by the simulator`)
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
  return {
    verb: 'Connect',
    action: element.attributes.get('action'),
    method: methodOf(element.attributes.get('method')),
    stream: {
      url,
      name: stream.attributes.get('name'),
      statusCallback: stream.attributes.get('statusCallback'),
      statusCallbackMethod: methodOf(stream.attributes.get('statusCallbackMethod')),
      parameters: { ...parameters },
    },
  }
}

/** Returns the URL as Twilio uses it, byte for byte, without the query string that it drops. */
function streamUrl(url: string | undefined, options: TwimlOptions): string | Verb {
  const [bare = ''] = (url ?? '').trim().split(/[?#]/)
  if (!URL.canParse(bare)) return faulty(31923, `stream URL ${JSON.stringify(url ?? '')} is malformed`)
  const { protocol } = new URL(bare)
  if (protocol === 'wss:' || (protocol === 'ws:' && options.allowInsecureStream)) return bare
  return faulty(31922, `stream URL starts with ${protocol}m URL starts with`)
}
