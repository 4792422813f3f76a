import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import twilio from 'twilio'
import { describe, expect, it } from 'vitest'
import {
  connectStream,
  escapeXml,
  gatherKeys,
  hangUp,
  playAndHangUp,
  reject,
  sayAndHangUp,
} from '../../../../src/bridges/phone/markup/call-xml.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
})

describe('TwiML', () => {
  it('connects a stream and names the address to continue at', () => {
    const document = connectStream({
      callId: 'CA1',
      streamUrl: 'wss://bridge.example.com/twilio/media',
      parameters: { token: 'abc' },
      resumeUrl: 'https://bridge.example.com/twilio/resume?a=1&b=2',
    })
    const expected = new twilio.twiml.VoiceResponse()
    expected
      .connect()
      .stream({ url: 'wss://bridge.example.com/twilio/media' })
      .parameter({ name: 'token', value: 'abc' })
    expected.redirect({ method: 'POST' }, 'https://bridge.example.com/twilio/resume?a=1&b=2')
    expect(document).toBe(expected.toString())
  })

  it('pauses before connecting if requested', () => {
    const plan = { callId: 'CA1', streamUrl: 'wss://a/', parameters: {}, resumeUrl: 'https://a/' }
    expect(connectStream({ ...plan, pauseSeconds: 2 })).toContain('<Response><Pause length="2"/><Connect>')
    expect(connectStream({ ...plan, pauseSeconds: 0 })).not.toContain('Pause')
  })

  it('prompts for keys, and continues when none is pressed', () => {
    const actionUrl = 'https://bridge.example.com/twilio/menu?a=1&b=2'
    const plan = { playUrls: ['https://a/1.wav?x=1&y=2', 'https://a/2.wav'], actionUrl, pauseSeconds: 6 }
    const expected = new twilio.twiml.VoiceResponse()
    const gather = expected.gather({
      input: ['dtmf'],
      action: actionUrl,
      method: 'POST',
      numDigits: 1,
      timeout: 6,
    })
    for (const url of plan.playUrls) gather.play(url)
    expected.redirect({ method: 'POST' }, actionUrl)
    expect(gatherKeys({ ...plan, keys: 1 })).toBe(expected.toString())
    expect(gatherKeys(plan)).not.toContain('numDigits')
    expect(playAndHangUp(plan.playUrls)).toContain('<Play>https://a/2.wav</Play><Hangup/>')
  })

  it('rejects calls', () => {
    expect(reject('busy')).toContain('<Response><Reject reason="busy"/></Response>')
    expect(hangUp()).toContain('<Response><Hangup/></Response>')
    expect(sayAndHangUp({ text: 'Sorry.' })).toContain('<Say language="en-US">Sorry.</Say><Hangup/>')
  })

  it('preserves all values in a round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, value) => {
        const say = sayAndHangUp({ text: `x${text}`, language: value })
        const stream = connectStream({
          callId: 'CA1',
          streamUrl: value,
          parameters: { p: value },
          resumeUrl: `x${text}`,
        })
        expect(XMLValidator.validate(say)).toBe(true)
        const gather = gatherKeys({ playUrls: [value], actionUrl: `x${value}`, pauseSeconds: 5 })
        expect(XMLValidator.validate(stream)).toBe(true)
        expect(XMLValidator.validate(gather)).toBe(true)
        expect(Object.keys(parser.parse(gather).Response)).toEqual(['Gather', 'Redirect'])
        expect(Object.keys(parser.parse(say).Response)).toEqual(['Say', 'Hangup'])
        expect(Object.keys(parser.parse(stream).Response)).toEqual(['Connect', 'Redirect'])
      }),
    )
  })

  it('is safe from injection', () => {
    const evil = '"/></Connect><Dial>+1900</Dial><!-- ]]> &amp; \' '
    const { Response } = parser.parse(
      connectStream({ callId: 'CA1', streamUrl: evil, parameters: { [evil]: evil }, resumeUrl: evil }),
    )
    expect(Object.keys(Response)).toEqual(['Connect', 'Redirect'])
    expect(Response.Connect.Stream['@url']).toBe(evil)
    expect(Response.Connect.Stream.Parameter).toEqual({ '@name': evil, '@value': evil })
    expect(Response.Redirect['#text']).toBe(evil)
  })

  it('contains no character that XML forbids', () => {
    expect(escapeXml('a\u0000b\ud800c\uffffd\te')).toBe('a\ufffdb\ufffdc\ufffdd&#9;e')
  })
})
