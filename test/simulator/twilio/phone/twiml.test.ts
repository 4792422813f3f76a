import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { MAX_TWIML_BYTES, parseTwiml, type Verb } from '../../../../simulator/twilio/phone/twiml.ts'

function verbs(xml: string): Verb[] {
  const twiml = parseTwiml(`<?xml version="1.0" encoding="UTF-8"?>\n<Response>${xml}</Response>`)
  if (!twiml.ok) throw new Error(twiml.why)
  return twiml.verbs
}

function connect(stream: string): Verb | undefined {
  return verbs(`<Connect>${stream}</Connect>`)[0]
}

test('reads a document in order', () => {
  const read = verbs(`
    <!-- a comment -->
    <Say language="es-ES">Buenos d&#237;as &amp; adi&#xF3;s<![CDATA[ & <más>]]></Say>
    <Pause length="3"/><Pause/>
    <Play>https://example.com/a.mp3</Play>
    <Connect action="/next" method="get">
      <Stream name="caller" url="wss://bridge.example.com/twilio/media">
        <Parameter name="token" value="a&lt;b&quot;c"/>
        <Parameter name="role" value=""/>
      </Stream>
    </Connect>
    <Redirect method="POST">/again?x=1&amp;y=2</Redirect>
    <Hangup/>`)
  expect(read).toEqual([
    { verb: 'Say', text: 'Buenos días & adiós & <más>', language: 'es-ES' },
    { verb: 'Pause', seconds: 3 },
    { verb: 'Pause', seconds: 1 },
    { verb: 'Play', url: 'https://example.com/a.mp3', loop: 1 },
    {
      verb: 'Connect',
      action: '/next',
      method: 'GET',
      stream: {
        url: 'wss://bridge.example.com/twilio/media',
        parameters: { token: 'a<b"c', role: '' },
      },
    },
    { verb: 'Redirect', url: '/again?x=1&y=2', method: 'POST' },
    { verb: 'Hangup' },
  ])
  expect(verbs('<Reject reason="busy"/>')).toEqual([{ verb: 'Reject', reason: 'busy' }])
  expect(verbs('')).toEqual([])
})

test('the query string of a stream URL is dropped', () => {
  expect(connect('<Stream url="wss://a.example/media?token=1"/>')).toMatchObject({
    stream: { url: 'wss://a.example/media', parameters: {} },
  })
})

test('ws:// is allowed only on request', () => {
  const xml = '<Response><Connect><Stream url="ws://127.0.0.1:8080/media"/></Connect></Response>'
  expect(parseTwiml(xml)).toMatchObject({ verbs: [{ verb: 'Faulty', code: 31922 }] })
  expect(parseTwiml(xml, { allowInsecureStream: true })).toMatchObject({ verbs: [{ verb: 'Connect' }] })
})

describe('documents that Twilio rejects', () => {
  const url = 'url="wss://a.example/m"'
  test.each<[number, string]>([
    [31922, '<Stream url="https://a.example/m"/>'],
    [31923, '<Stream url="/media"/>'],
    [31923, '<Stream/>'],
    [31941, `<Stream ${url} track="both_tracks"/>`],
    [31941, `<Stream ${url} track="outbound_track"/>`],
    [12200, `<Stream ${url}/><Stream ${url}/>`],
    [12200, '<Room>r</Room>'],
    [12200, `<Stream ${url}><Parameter name="a"/></Stream>`],
    [12200, `<Stream ${url}><Param name="a" value="b"/></Stream>`],
    [12200, `<Stream ${url}><Parameter name="a" value="${'x'.repeat(499)}"/></Stream>`],
  ])('%i for %s', (code, stream) => {
    expect(connect(stream)).toMatchObject({ verb: 'Faulty', code })
  })

  test.each<[number, string]>([
    [12100, ''],
    [12100, 'hello'],
    [12100, '<Response><Say></Response>'],
    [12100, '<Response/><Response/>'],
    [12100, '<response/>'],
    [12100, '{"hello":1}'],
    [12100, '<Response><Redirect>/a?b=1&c=2</Redirect></Response>'],
    [12100, '<Response><Say>&oacute;</Say></Response>'],
    [12100, '<Response><Say>&constructor;</Say></Response>'],
    [12100, '<Response><Say language="en" language="de">a</Say></Response>'],
    [12100, '<Response><Say language=en>a</Say></Response>'],
    [12100, '<Response/>and more'],
    [12100, '<Response>\u0001</Response>'],
    [11750, `<Response><Say>${'x'.repeat(MAX_TWIML_BYTES)}</Say></Response>`],
  ])('%i for an invalid document', (code, xml) => {
    expect(parseTwiml(xml)).toMatchObject({ ok: false, code })
  })

  test('an unsupported verb, an empty <Redirect>', () => {
    expect(verbs('<Dial>+1</Dial><Redirect/>')).toMatchObject([
      { verb: 'Faulty', code: 12200 },
      { verb: 'Faulty', code: 11100 },
    ])
  })
})

test('a parameter can have any name', () => {
  expect(connect('<Stream url="wss://a/b"><Parameter name="__proto__" value="x"/></Stream>')).toMatchObject({
    verb: 'Connect',
  })
})

test("reads the output of Twilio's own library", () => {
  const response = new twilio.twiml.VoiceResponse()
  response.say({ language: 'de-DE' }, 'Grüße & <Küsse>')
  const stream = response
    .connect({ action: 'https://a.example/over?x=1&y=2' })
    .stream({ url: 'wss://a.example/m', name: 'n' })
  stream.parameter({ name: 'token', value: `"'<>&é` })
  response.redirect({ method: 'GET' }, '/again')
  expect(parseTwiml(response.toString())).toMatchObject({
    verbs: [
      { verb: 'Say', text: 'Grüße & <Küsse>' },
      {
        verb: 'Connect',
        action: 'https://a.example/over?x=1&y=2',
        stream: { parameters: { token: `"'<>&é` } },
      },
      { verb: 'Redirect', url: '/again', method: 'GET' },
    ],
  })
})
