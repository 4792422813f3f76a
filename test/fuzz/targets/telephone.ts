import { parse as parseForm } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { readXml } from '../../../simulator/twilio/phone/twiml.ts'
import {
  asteriskMedia,
  asteriskWebSocketMedia,
  ExpectedStreams,
} from '../../../src/bridges/phone/asterisk/dialect.ts'
import { type MediaDialect, PHONE_LINE } from '../../../src/bridges/phone/carrier.ts'
import { webhookCall } from '../../../src/bridges/phone/carrier-routes.ts'
import { jambonzMedia } from '../../../src/bridges/phone/jambonz/dialect.ts'
import { jsonMedia } from '../../../src/bridges/phone/json-media/json-media.ts'
import { callForm } from '../../../src/bridges/phone/markup/call-form.ts'
import { connectStream, sayAndHangUp } from '../../../src/bridges/phone/markup/call-xml.ts'
import { destinationFault } from '../../../src/bridges/phone/outbound/destination.ts'
import { plivoMedia } from '../../../src/bridges/phone/plivo/dialect.ts'
import { telnyxMedia } from '../../../src/bridges/phone/telnyx/dialect.ts'
import { type FuzzTarget, must, texts } from '../target.ts'

const KINDS = ['connected', 'start', 'media', 'dtmf', 'mark', 'stop', 'unknown', 'invalid']

const messages: FuzzTarget = {
  name: 'Twilio messages',
  seeds: texts(
    '{"event":"connected","protocol":"Call","version":"1.0.0"}',
    '{"event":"start","sequenceNumber":"1","start":{"accountSid":"AC1","streamSid":"MZ1","callSid":"CA1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"token":"x"}},"streamSid":"MZ1"}',
    '{"event":"media","sequenceNumber":"2","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"f39/fw=="},"streamSid":"MZ1"}',
    '{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"1"}}',
    '{"event":"mark","sequenceNumber":"4","streamSid":"MZ1","mark":{"name":"m1"}}',
    '{"event":"stop","sequenceNumber":"5","stop":{"accountSid":"AC1","callSid":"CA1"},"streamSid":"MZ1"}',
  ),
  words: ['"event":', '__proto__', 'constructor', '1e999', '-1', 'null', '[]', '{}', '\\ud800', '"media":'],
  run(input) {
    const message = jsonMedia(PHONE_LINE).parse(Buffer.from(input), false)
    must(KINDS.includes(message.kind), `an unknown kind: ${message.kind}`)
    if (message.kind === 'start') {
      must(
        /^[\w-]{1,64}$/.test(message.callId) && /^[\w-]{1,64}$/.test(message.streamId),
        'ids are short words',
      )
      must(Object.getPrototypeOf(message.parameters) === null, 'parameters have no prototype')
      for (const value of Object.values(message.parameters))
        must(typeof value === 'string', 'parameters are text')
    }
    if (message.kind === 'media')
      must(Number.isNaN(message.timestampMs) || message.timestampMs >= 0, 'times do not go back')
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

/** Messages of a carrier, as text or binary frames. */
function streamTarget(
  name: string,
  media: MediaDialect,
  seeds: readonly string[],
  frames: readonly Buffer[] = [],
): FuzzTarget {
  return {
    name: `${name} messages`,
    seeds: [...texts(...seeds), ...frames],
    words: ['"event":', '__proto__', 'constructor', '1e999', '-1', 'null', '[]', '{}', '\\ud800', '"media":'],
    run(input) {
      for (const isBinary of [false, true]) {
        const message = media.parse(Buffer.from(input), isBinary)
        must(KINDS.includes(message.kind), `an unknown kind: ${message.kind}`)
        if (message.kind === 'start') {
          must(message.callId.length <= 128 && message.streamId.length <= 128, 'ids are short')
          must(
            Object.getPrototypeOf(message.parameters) === null || isEmpty(message.parameters),
            'parameters',
          )
          for (const value of Object.values(message.parameters)) must(typeof value === 'string', 'texts')
        }
        if (message.kind === 'media') {
          must(!(message.timestampMs < 0), 'times do not go back')
          must(message.sequence === undefined || !(message.sequence < 0), 'numbers are not negative')
        }
        if (message.kind === 'mark') must(message.name.length <= 512, 'names of marks are short')
        if (message.kind === 'dtmf') must(/^[0-9*#A-D]$/.test(message.digit), 'a key')
      }
      must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
    },
  }
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0
}

const MEDIA_SEED =
  '{"event":"media","sequence_number":"2","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"f39/fw=="},"stream_id":"s"}'

const streams: readonly FuzzTarget[] = [
  streamTarget('Telnyx', telnyxMedia, [
    MEDIA_SEED,
    '{"event":"start","sequence_number":"1","start":{"user_id":"u","call_control_id":"v3:a","custom_parameters":{"token":"x"},"media_format":{"encoding":"PCMU","sample_rate":8000,"channels":1}},"stream_id":"s"}',
    '{"event":"dtmf","stream_id":"s","dtmf":{"digit":"1"}}',
    '{"event":"mark","stream_id":"s","mark":{"name":"m1"}}',
    '{"event":"stop","stream_id":"s"}',
  ]),
  streamTarget('Plivo', plivoMedia('l16-16k'), [
    '{"event":"media","sequenceNumber":3,"streamId":"s","media":{"track":"inbound","timestamp":"1705312200000","chunk":1,"payload":"f39/fw=="},"extra_headers":"token=61"}',
    '{"event":"start","sequenceNumber":0,"start":{"callId":"c-1","streamId":"s-1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-l16","sampleRate":16000}},"extra_headers":"X-PH-token=61;b=62"}',
    '{"event":"playedStream","sequenceNumber":4,"streamId":"s-1","name":"m1"}',
    '{"event":"dtmf","sequenceNumber":4,"streamId":"s-1","dtmf":{"digit":"#"}}',
  ]),
  streamTarget(
    'jambonz',
    jambonzMedia(16_000),
    [
      '{"callSid":"c-1","sampleRate":16000,"mixType":"mono","token":"x"}',
      '{"type":"mark","data":{"name":"m1","event":"playout"}}',
      '{"event":"dtmf","dtmf":"2","duration":"1600"}',
    ],
    [Buffer.alloc(640, 1)],
  ),
  streamTarget(
    'AudioSocket',
    asteriskMedia(8_000, new ExpectedStreams()),
    [],
    [
      Buffer.concat([Buffer.from([0x01, 0, 16]), Buffer.alloc(16, 7)]),
      Buffer.from([0x10, 0, 4, 1, 2, 3, 4]),
      Buffer.from([0x03, 0, 1, 0x35]),
      Buffer.from([0x00, 0, 0]),
      Buffer.from([0xff, 0, 1, 2]),
    ],
  ),
  streamTarget(
    'chan_websocket',
    asteriskWebSocketMedia(16_000, new ExpectedStreams()),
    [
      '{"event":"MEDIA_START","connection_id":"dragoman","channel":"WebSocket/dragoman/0x7f","channel_id":"1764000001.1","format":"slin16","optimal_frame_size":640,"ptime":20,"channel_variables":{"DRAGOMAN_STREAM":"0f8fad5b-d9cb-469f-a165-70867728950e"}}',
      '{"event":"DTMF_END","channel_id":"1.1","digit":"5"}',
      '{"event":"MEDIA_MARK_PROCESSED","channel_id":"1.1","correlation_id":"g0:u1"}',
      '{"event":"STATUS","channel_id":"1.1","queue_length":3,"queue_full":false}',
    ],
    [Buffer.alloc(640, 1)],
  ),
]

const forms: FuzzTarget = {
  name: 'webhook forms',
  seeds: texts(
    '?\nCallSid=CA1&AccountSid=AC1&From=%2B15551230001&To=%2B15551230002&CallStatus=ringing&Direction=inbound',
    '?dragoman-language=es-es&dial=d1\nCallSid=CA1&CallSid=CA2&Digits=1%23&AnsweredBy=human',
    '\nCallSid=CA1',
  ),
  words: ['CallSid=', '&', '=', '%', '%00', '%ff', '__proto__=1', 'dragoman-language=', '\n', '?', '#', ';'],
  run(input) {
    const [url = '', body = ''] = input.toString().split('\n', 2)
    const request = { originalUrl: `/twilio/voice${url}`, body: parseForm(body) } as unknown as FastifyRequest
    const call = webhookCall(callForm, request)
    if (call === undefined) return
    must(/^[\w-]{2,64}$/.test(call.callId), 'a call has an id')
    for (const value of [
      call.from,
      call.to,
      call.accountId,
      call.direction,
      ...Object.values(call.parameters),
    ])
      must(typeof value === 'string', 'fields are text')
    must(Object.getPrototypeOf(call.parameters) === null, 'parameters have no prototype')
    must(
      call.answers.language === undefined || /^[a-z]{2,3}-\w{2,3}$/.test(call.answers.language),
      'a language',
    )
  },
}

const RULES = { allowedPrefixes: ['+34', '+1212', '+44'], own: ['+34911234567'] }

const numbers: FuzzTarget = {
  name: 'phone numbers',
  seeds: texts('+34612345678', '+12125550123', '+34911234567', '+882161234567', '+34803000000', '112'),
  words: ['+', '00', '+34', '\n', ' ', ';', ',', 'w', 'sip:', '٣', '\u200b'],
  run(input) {
    const to = input.toString()
    const fault = destinationFault(to, RULES)
    if (fault === undefined) {
      must(/^\+[1-9]\d{6,14}$/.test(to), 'what is called is a plain number')
      must(
        RULES.allowedPrefixes.some(prefix => to.startsWith(prefix)),
        'of the allowed prefixes',
      )
      must(!RULES.own.includes(to), 'and not our own')
    } else must(!/\d{4}/.test(fault.replace('+15551234567', '')), 'the reason does not hold the number')
  },
}

const twiml: FuzzTarget = {
  name: 'TwiML builder',
  seeds: texts('hello', '</Say><Dial>+1900</Dial>', ']]>', '&amp;', 'a"b\'c', '\u0000\ud800'),
  words: ['<', '>', '&', '"', "'", ']]>', '<![CDATA[', '<!--', '&#0;', '\u0000', '\n', '\ufffe'],
  run(input) {
    const text = input.toString()
    const said = readXml(sayAndHangUp({ text, language: 'es-ES' }))
    must(typeof said !== 'string', `it is XML: ${said}`)
    must(said.children.map(({ name }) => name).join() === 'Say,Hangup', 'only the intended content')
    const parameters = { [`n${text}`]: text }
    const document = connectStream({
      callId: 'CA1',
      streamUrl: 'wss://a/s',
      resumeUrl: `https://a/r?${text}`,
      parameters,
    })
    const root = readXml(document)
    must(typeof root !== 'string', `it is XML: ${root}`)
    must(root.children.map(({ name }) => name).join() === 'Connect,Redirect', 'only the intended content')
    const [stream] = root.children[0]?.children ?? []
    must(
      stream?.children.length === 1 && stream.attributes.get('url') === 'wss://a/s',
      'one stream, one parameter',
    )
  },
}

export const TELEPHONE: readonly FuzzTarget[] = [messages, ...streams, forms, numbers, twiml]
