import { EVENT, NAMESPACES } from '../../src/service/contract.ts'
import { WEBHOOK_EVENTS } from '../../src/web/webhooks/settings.ts'
import type { Declaration, Declarations } from './declarations.ts'
import { code, fenced, head, table } from './markdown.ts'
import { type SentWebhooks, sentWebhooks } from './webhooks.ts'

const ABOUT = `Events during calls: for [programs that embed the relay](#the-relay), for [receivers of webhooks](#webhooks) and
[readers of captions](#captions), and between the [translation service](#the-translation-service) and its clients.
`

const RELAY = `\`relay.observer.on(event, listener)\` calls \`listener\` synchronously; dispose of its result to unsubscribe. Listeners cannot change
calls, and a listener that throws does not affect others.
`

const WEBHOOKS = `Each is a signed POST of JSON. The examples contain all fields; \`text\` and \`translation\` are sent only with \`texts\`. Order, retries
and signature: [webhooks](../guides/control-from-a-program.md#delivery).
`

const CAPTIONS = `Server-sent events of [\`GET /v1/rooms/{room}/captions\`](http.md#readcaptions). Resuming after a disconnection:
[caption stream](../guides/control-from-a-program.md#reconnecting).
`

const SERVICE = `Socket.IO 4, namespaces ${NAMESPACES.map(code).join(', ')}. Order, states and decisions: [protocol](../service/protocol.md).
`

/** Events of the service: sender, namespaces, and the types of the payload. */
const SERVICE_EVENTS: Readonly<Record<keyof typeof EVENT, readonly [string, string, string]>> = {
  connected: ['service', 'all', '`ConnectionParameters`: the effective parameters'],
  start: ['service', 'all', '`true`, or the address of streamed audio: the client can start sending'],
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
  const observer = declarations.of('core/model/events')
  const types = (module: string, names: readonly string[]) =>
    names.map(name => declaration(named(declarations.of(module), name))).join('')
  return [
    head('Events', ABOUT),
    `\n## The relay\n\n${RELAY}\n${table(['event', 'fields', 'when'], relayRows(named(observer, 'RelayEvents')))}`,
    types('core/model/caption', ['Caption']),
    types('core/model/caption-details', ['CaptionDetails']),
    types('core/model/events', ['UtteranceEvent', 'SessionEvent', 'LagEvent', 'ReceptionEvent']),
    types('core/model/reception', ['Reception']),
    types('service/contract', ['SpokenPart']),
    types('common/lifecycle', ['EndReason']),
    types('common/errors', ['ErrorCode']),
    types('core/model/dialer', ['DialEnd', 'DialOutcome']),
    types('core/model/participant-state', ['ParticipantState']),
    types('core/model/recording', ['RecordingState']),
    `\n## Webhooks\n\n${WEBHOOKS}${webhooks(await sentWebhooks())}`,
    `\n## Captions\n\n${CAPTIONS}\n${table(['event', 'data', ''], CAPTION_ROWS)}`,
    types('web/captions/caption-feed', ['TimedCaption']),
    `\n## The translation service\n\n${SERVICE}\n${table(
      ['event', 'from', 'namespace', 'payload'],
      Object.entries(EVENT).map(([key, name]) => [code(name), ...SERVICE_EVENTS[key as keyof typeof EVENT]]),
    )}`,
    types('service/contract', SERVICE_TYPES),
  ].join('')
}

const CAPTION_ROWS = [
  ['`caption`', '`TimedCaption`', 'A caption; the newest one with the same `utterance` applies.'],
  [
    '`service`',
    '`{ room, speaker, to, unavailable }`',
    'Translation of a speaker is unavailable, or available again.',
  ],
  ['`missed`', '`{ room }`', 'The reader was disconnected for too long: captions are missing.'],
  ['`end`', '`{ room }`', 'The room has ended.'],
  ['`expired`', '`{ room }`', 'The link has expired.'],
]

function named(all: readonly Declaration[], name: string): Declaration {
  const found = all.find(each => each.name === name)
  if (!found) throw new Error(`there is no type ${name}: fix scripts/reference/events.ts`)
  return found
}

function declaration({ name, doc, text }: Declaration): string {
  return `\n### ${name}\n\n${doc === '' ? '' : `${doc}\n\n`}${fenced('ts', text.replace(/^export /, ''))}`
}

/** The members of `RelayEvents`, each with its comment. */
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
