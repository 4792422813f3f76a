import { parse as parseForm } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { jsonMedia } from '../../../src/bridges/telephony/json-media/json-media.ts'
import { callForm } from '../../../src/bridges/telephony/markup/call-form.ts'
import { connectStream, sayAndHangUp } from '../../../src/bridges/telephony/markup/call-xml.ts'
import { destinationFault } from '../../../src/bridges/telephony/outbound/carrier-dialer.ts'
import { PHONE_LINE } from '../../../src/bridges/telephony/ports/media-dialect.ts'
import { webhookCall } from '../../../src/bridges/telephony/webhooks.ts'
import { parseTwiml, readXml } from '../../../src/simulator/twilio/phone/twiml.ts'
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

const telephone: FuzzTarget = {
  name: "the simulator's TwiML",
  seeds: texts(
    sayAndHangUp({ text: 'hello' }),
    connectStream({
      callId: 'CA1',
      streamUrl: 'wss://a/s',
      resumeUrl: 'https://a/r',
      parameters: { token: 'x' },
      pauseSeconds: 1,
    }),
    '<Response><Gather numDigits="1"><Play>https://a/b.wav</Play></Gather><Reject/></Response>',
  ),
  words: ['<Response>', '</', '<!DOCTYPE', '<!ENTITY', '&lol;', '<![CDATA[', 'url="', '__proto__'],
  run(input) {
    const read = parseTwiml(input.toString())
    must(typeof read.ok === 'boolean', 'an answer')
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

export const TELEPHONE: readonly FuzzTarget[] = [messages, forms, numbers, twiml, telephone]
