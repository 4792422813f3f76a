import {
  type Element,
  type FaultyVerb,
  faulty,
  type Prompt,
  readXml,
  type Twiml,
  type TwimlOptions,
  type Verb,
} from '../twilio/phone/twiml.ts'

/** Maximum size of an answer (Plivo: XML request; bytes). */
const MAX_BYTES = 100 * 1_024
const MAX_EXTRA_HEADERS = 512
const EXTRA_HEADER = /^[A-Za-z0-9]+=[A-Za-z0-9]+$/
const POSITIVE = /^[1-9]\d{0,8}$/

/** Languages of `<Speak>` and their voices (Plivo: Audio output). */
const VOICES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['nl-NL', 'en-AU', 'en-GB', 'en-US', 'fr-FR', 'de-DE', 'it-IT', 'pl-PL', 'pt-BR', 'es-ES', 'es-US'].map(
      language => [language, ['WOMAN', 'MAN']],
    ),
  ),
  ...Object.fromEntries(['da-DK', 'fr-CA', 'ru-RU', 'sv-SE'].map(language => [language, ['WOMAN']])),
  'pt-PT': ['MAN'],
}

/** Attributes of each element that are modeled; any other is a fault. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  Speak: ['language', 'voice'],
  Play: ['loop'],
  Wait: ['length'],
  GetDigits: ['action', 'method', 'numDigits', 'finishOnKey', 'timeout', 'digitTimeout', 'retries'],
  Redirect: ['method'],
  Hangup: ['reason'],
  Stream: ['bidirectional', 'keepCallAlive', 'contentType', 'extraHeaders', 'audioTrack', 'streamTimeout'],
}

/** Reads Plivo XML as strictly as Plivo documents it. Never throws. The codes are Twilio’s for the same errors. */
export function parsePlivoXml(text: string, options: TwimlOptions = {}): Twiml {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) return { ok: false, code: 11750, why: `XML of ${bytes} bytes` }
  const root = readXml(text)
  if (typeof root === 'string') return { ok: false, code: 12100, why: root }
  if (root.name !== 'Response')
    return { ok: false, code: 12100, why: `the root element is <${root.name}>, not <Response>` }
  return { ok: true, verbs: root.children.map((child, index) => verbOf(child, index, options)) }
}

function verbOf(element: Element, index: number, options: TwimlOptions): Verb {
  const { name, text, attributes } = element
  const known = ATTRIBUTES[name]
  if (!known) return faulty(12200, `<${name}> is not modeled by the simulator`)
  const odd = [...attributes.keys()].find(attribute => !known.includes(attribute))
  if (odd !== undefined) return faulty(12200, `<${name}> has no attribute ${odd}, or it is not modeled`)
  switch (name) {
    case 'Stream':
      return streamOf(element, options)
    case 'GetDigits':
      return digitsOf(element)
    case 'Redirect':
      if (!isUrl(text)) return faulty(11100, `<Redirect> to ${JSON.stringify(text)}`)
      return {
        verb: 'Redirect',
        url: text.trim(),
        method: attributes.get('method') === 'GET' ? 'GET' : 'POST',
      }
    case 'Hangup': {
      const reason = attributes.get('reason') ?? 'rejected'
      if (!['rejected', 'busy'].includes(reason)) return faulty(12200, `<Hangup reason="${reason}">`)
      // As the first element before the answer, it rejects the call.
      return index === 0 && !options.answered ? { verb: 'Reject', reason } : { verb: 'Hangup' }
    }
    default:
      return promptOf(element)
  }
}

function promptOf({ name, text, attributes }: Element): Prompt | FaultyVerb {
  if (name === 'Wait') {
    const length = attributes.get('length') ?? '1'
    return POSITIVE.test(length)
      ? { verb: 'Pause', seconds: Number(length) }
      : faulty(12200, `<Wait length="${length}">`)
  }
  if (name === 'Play') {
    const loop = attributes.get('loop') ?? '1'
    if (!/^\d{1,4}$/.test(loop) || !isUrl(text)) return faulty(12200, `<Play> of ${JSON.stringify(text)}`)
    return { verb: 'Play', url: text.trim(), loop: Number(loop) }
  }
  const language = attributes.get('language') ?? 'en-US'
  const voice = attributes.get('voice') ?? 'WOMAN'
  if (!VOICES[language]?.includes(voice)) return faulty(12200, `<Speak> has no voice ${voice} in ${language}`)
  return text.trim() === ''
    ? faulty(12200, '<Speak> without a text')
    : { verb: 'Say', text: text.trim(), language }
}

function digitsOf({ attributes, children }: Element): Verb {
  const number = (name: string, otherwise: string) => attributes.get(name) ?? otherwise
  const [timeout, pause] = [number('timeout', '5'), number('digitTimeout', '2')]
  const [keys, retries] = [number('numDigits', '99'), number('retries', '1')]
  const odd = [timeout, pause, keys, retries].find(value => !POSITIVE.test(value))
  if (odd !== undefined) return faulty(12200, `<GetDigits> with ${odd} instead of a positive integer`)
  if (retries !== '1') return faulty(12200, '<GetDigits retries> is not modeled')
  const finishOnKey = number('finishOnKey', '#')
  if (!/^([0-9*#]?|none)$/.test(finishOnKey)) return faulty(12200, `<GetDigits finishOnKey="${finishOnKey}">`)
  const action = attributes.get('action')
  if (action === undefined || !isUrl(action)) return faulty(11100, '<GetDigits> without an absolute action')
  const prompts: Prompt[] = []
  for (const child of children) {
    const prompt = ['Speak', 'Play'].includes(child.name) ? promptOf(child) : undefined
    if (!prompt) return faulty(12200, `<${child.name}> is not allowed in <GetDigits>`)
    if (prompt.verb === 'Faulty') return prompt
    prompts.push(prompt)
  }
  return {
    verb: 'Gather',
    gather: {
      action,
      method: attributes.get('method') === 'GET' ? 'GET' : 'POST',
      numDigits: Number(keys),
      finishOnKey: finishOnKey === 'none' ? '' : finishOnKey,
      timeoutSeconds: Number(timeout),
      keySeconds: Number(pause),
      actionOnEmptyResult: false,
      prompts,
    },
  }
}

/** Its address is the text of the element. */
function streamOf({ text, attributes, children }: Element, { allowInsecureStream }: TwimlOptions): Verb {
  if (children.length > 0) return faulty(12200, '<Stream> has no elements')
  const url = text.trim()
  if (!URL.canParse(url)) return faulty(31923, `stream URL ${JSON.stringify(url)} is malformed`)
  const { protocol } = new URL(url)
  if (protocol !== 'wss:' && !(protocol === 'ws:' && allowInsecureStream))
    return faulty(31922, `stream URL starts with ${protocol}`)
  if ((attributes.get('audioTrack') ?? 'inbound') !== 'inbound')
    return faulty(31941, 'a bidirectional stream has the track inbound only')
  const headers = attributes.get('extraHeaders') ?? ''
  const pairs = headers === '' ? [] : headers.split(',')
  if (headers.length > MAX_EXTRA_HEADERS || !pairs.every(pair => EXTRA_HEADER.test(pair)))
    return faulty(12200, `extraHeaders of ${headers.length} bytes, or not of letters and digits`)
  return {
    verb: 'Connect',
    action: undefined,
    method: 'POST',
    stream: {
      url,
      parameters: Object.fromEntries(pairs.map(pair => pair.split('=') as [string, string])),
      attributes,
    },
  }
}

function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '')
}
