import { EVENT, NAMESPACES } from '../../src/service/contract.ts'
import { WEBHOOK_EVENTS } from '../../src/web/webhooks-out/webhook-settings.ts'
import type { Declaration, Declarations } from './declarations.ts'
import { code, fenced, head, table } from './markdown.ts'
import { type SentWebhooks, sentWebhooks } from './webhooks.ts'

const ABOUT = `What is told while people talk: to [programs that embed the relay](#the-relay), to [receivers of webhooks](#webhooks), to
[readers of captions](#captions), and what the [translation service](#the-translation-service) and its clients send each other.
`

const RELAY = `\`relay.observer.on(event, listener)\` calls \`listener\` synchronously; disposing what it returns stops it. Onlookers never change what
happens, and one that throws harms nobody else.
`

const WEBHOOKS = `Each is a signed POST of JSON. Here with everything that it can have; \`text\` and \`translation\` only come with \`texts\`. Order, attempts
and the signature: [control API](../features/control-api.md#webhooks).
`

const CAPTIONS = `Server-sent events of [\`GET /v1/rooms/{room}/captions\`](http.md#readcaptions). How they are read again after a break:
[control API](../features/control-api.md#captions).
`

const SERVICE = `Socket.IO 4, namespaces ${NAMESPACES.map(code).join(', ')}. Order, states and decisions: [protocol](../service/protocol.md).
`

/** Events of the service: who sends it, where, and the types of its payload. */
const SERVICE_EVENTS: Readonly<Record<keyof typeof EVENT, readonly [string, string, string]>> = {
  connected: ['service', 'all', '`ConnectionParameters`: what is in force'],
  start: ['service', 'all', '`true`, or the address of streamed audio: now something may be sent'],
  text: ['client', '`/translator`, `/tts`', 'a text; acknowledged'],
  writeStream: ['client', '`/stt`, `/sts`', 'bytes of linear16; acknowledged'],
  result: ['service', 'all', '`SttResult`, `TranslatorResult`, `TtsResult` or `StsResult`'],
  endSynth: ['service', '`/tts`, `/sts`', '`EndSynth`: the voice of an utterance is complete'],
  error: ['service', 'all', '`ServiceErrorBody`'],
}

const SERVICE_TYPES = [
  'ConnectionParameters',
  'SendAudio',
  'ReceiveAudio',
  'SttResult',
  'StsResult',
  'TranslatorResult',
  'TtsResult',
  'ResultFile',
  'EndSynth',
  'ServiceErrorBody',
]

/** `docs/reference/events.md`. */
export async function eventsPage(declarations: Declarations): Promise<string> {
  const observer = declarations.of('core/observer')
  const types = (module: string, names: readonly string[]) =>
    names.map(name => declaration(named(declarations.of(module), name))).join('')
  return [
    head('Events', ABOUT),
    `\n## The relay\n\n${RELAY}\n${table(['event', 'fields', 'when'], relayRows(named(observer, 'RelayEvents')))}`,
    types('core/observer', ['Caption', 'UtteranceEvent', 'SessionEvent', 'LagEvent']),
    types('core/errors', ['EndReason', 'ErrorCode']),
    types('core/dialler', ['DialEnd', 'DialOutcome']),
    types('core/party-state', ['PartyState']),
    types('core/recorder', ['RecordingState']),
    `\n## Webhooks\n\n${WEBHOOKS}${webhooks(await sentWebhooks())}`,
    `\n## Captions\n\n${CAPTIONS}\n${table(['event', 'data', ''], CAPTION_ROWS)}`,
    types('web/captions/timed-caption', ['TimedCaption']),
    `\n## The translation service\n\n${SERVICE}\n${table(
      ['event', 'from', 'namespace', 'payload'],
      Object.entries(EVENT).map(([key, name]) => [code(name), ...SERVICE_EVENTS[key as keyof typeof EVENT]]),
    )}`,
    types('service/contract', SERVICE_TYPES),
  ].join('')
}

const CAPTION_ROWS = [
  ['`caption`', '`TimedCaption`', 'Something is said; the newest with the same `utterance` counts.'],
  ['`service`', '`{ room, speaker, to, away }`', 'Translation of a speaker went away, or is back.'],
  ['`missed`', '`{ room }`', 'The reader was away for so long that captions are gone.'],
  ['`end`', '`{ room }`', 'The room has ended.'],
  ['`expired`', '`{ room }`', 'The link is not good any more.'],
]

function named(all: readonly Declaration[], name: string): Declaration {
  const found = all.find(each => each.name === name)
  if (!found) throw new Error(`there is no type ${name} any more: scripts/reference/events.ts`)
  return found
}

function declaration({ name, doc, text }: Declaration): string {
  return `\n### ${name}\n\n${doc === '' ? '' : `${doc}\n\n`}${fenced('ts', text.replace(/^export /, ''))}`
}

/** The members of `RelayEvents`, each with the words above it. */
function relayRows({ text }: Declaration): string[][] {
  const rows: string[][] = []
  for (const [, comment = '', name = '', type = ''] of text.matchAll(
    /^ {2}(?:\/\*\*([\s\S]*?)\*\/\s*)?(\w+): (\{[\s\S]*?\n {2}\}|\{[^}]*\}|\w+)$/gm,
  ))
    rows.push([
      code(name),
      code(
        type
          .replace(/\n\s*(?=\w)/g, ', ')
          .replace('{, ', '{ ')
          .replace(/\s+/g, ' '),
      ),
      comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
    ])
  return rows
}

function webhooks(sent: SentWebhooks): string {
  return WEBHOOK_EVENTS.map(type => {
    const body = sent.get(type)
    if (!body) throw new Error(`scripts/reference/samples.ts makes no webhook ${type}`)
    return `\n### ${type}\n\n${fenced('json', JSON.stringify(body, undefined, 2))}`
  }).join('')
}
