import { Response } from 'plivo'
import { describe, expect, test } from 'vitest'
import { parsePlivoXml } from '../../../../simulator/plivo/xml.ts'
import { readXml } from '../../../../simulator/twilio/phone/twiml.ts'
import { plivoXml } from '../../../../src/bridges/phone/plivo/dialect.ts'

/** Its types declare a function, but it is a constructor. */
const PlivoResponse = Response as unknown as new () => ReturnType<typeof Response>
const xml = plivoXml('mulaw-8k')
const URL = 'https://bridge.example.com/plivo/resume?a=1&b=2'
const PLAN = {
  callId: '9834029e-58b6-11e1-b8b7-a5bd0e4e126f',
  streamUrl: 'wss://bridge.example.com/plivo/media',
  parameters: { token: 'a-_' },
  resumeUrl: URL,
}

function verbs(body: string, answered = false) {
  const parsed = parsePlivoXml(body, { answered })
  if (!parsed.ok) throw new Error(parsed.why)
  return parsed.verbs
}

describe('instructions for Plivo', () => {
  test('stream a call, and continue afterwards', () => {
    const [stream, redirect] = verbs(xml.connectStream(PLAN).body)
    expect(stream).toMatchObject({
      verb: 'Connect',
      stream: { url: PLAN.streamUrl, parameters: { token: '612d5f' } },
    })
    expect(redirect).toEqual({ verb: 'Redirect', url: URL, method: 'POST' })
    expect(verbs(xml.connectStream({ ...PLAN, pauseSeconds: 2 }).body)[0]).toEqual({
      verb: 'Pause',
      seconds: 2,
    })
  })

  test('are what Plivo’s own client writes', () => {
    const written = new PlivoResponse()
    written.addStream(PLAN.streamUrl, {
      ...{ bidirectional: true, keepCallAlive: true },
      ...{ contentType: 'audio/x-mulaw;rate=8000', extraHeaders: 'token=612d5f' },
    })
    written.addRedirect(URL, { method: 'POST' })
    expect(readXml(xml.connectStream(PLAN).body)).toEqual(readXml(written.toXML()))
  })

  test('collect keys', () => {
    const { body } = xml.gatherKeys({ playUrls: [URL], actionUrl: URL, keys: 1, pauseSeconds: 7 })
    const [gather, redirect] = verbs(body)
    expect(gather).toMatchObject({
      verb: 'Gather',
      gather: { action: URL, numDigits: 1, finishOnKey: '#', timeoutSeconds: 7, keySeconds: 7 },
    })
    expect(redirect).toEqual({ verb: 'Redirect', url: URL, method: 'POST' })
  })

  test('play, wait, reject and hang up', () => {
    expect(verbs(xml.playAndHangUp([URL]).body)).toEqual([
      { verb: 'Play', url: URL, loop: 1 },
      { verb: 'Hangup' },
    ])
    expect(verbs(xml.waitAndAsk(0.2, URL).body)[0]).toEqual({ verb: 'Pause', seconds: 1 })
    expect(verbs(xml.reject('busy').body)).toEqual([{ verb: 'Reject', reason: 'busy' }])
    expect(verbs(xml.hangUp().body, true)).toEqual([{ verb: 'Hangup' }])
  })

  test.each([
    ['es-MX', 'es-ES'],
    ['pt-PT', 'pt-PT'],
    ['fr-ca', 'fr-CA'],
    ['ja-JP', 'en-US'],
    [undefined, 'en-US'],
  ])('speak %s with a voice that Plivo has', (language, spoken) => {
    const { body } = xml.sayAndHangUp({ text: 'Sorry & <bye>', ...(language ? { language } : {}) })
    expect(verbs(body)[0]).toEqual({ verb: 'Say', text: 'Sorry & <bye>', language: spoken })
  })
})
