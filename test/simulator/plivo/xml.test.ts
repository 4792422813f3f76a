import { describe, expect, test } from 'vitest'
import { parsePlivoXml } from '../../../simulator/plivo/xml.ts'

const URL = 'https://bridge.example.com/plivo/resume'

function verb(element: string, options = {}) {
  const parsed = parsePlivoXml(`<Response>${element}</Response>`, options)
  return parsed.ok ? parsed.verbs[0] : parsed
}

describe('the simulator of Plivo rejects', () => {
  test.each([
    ['TwiML', '<Say>Hello</Say>'],
    ['an attribute that Plivo does not have', `<Redirect method="POST" next="1">${URL}</Redirect>`],
    ['a relative address', '<Redirect>/plivo/resume</Redirect>'],
    ['a pause of no length', '<Wait length="0"/>'],
    ['a language without a voice', '<Speak language="ja-JP">Hello</Speak>'],
    ['a voice that a language does not have', '<Speak language="pt-PT">Hello</Speak>'],
    ['no text', '<Speak> </Speak>'],
    ['a reason that is not documented', '<Hangup reason="no"/>'],
    ['keys without an address', '<GetDigits/>'],
    ['keys without a time', `<GetDigits action="${URL}" timeout="0"/>`],
    ['an element among the prompts', `<GetDigits action="${URL}"><Wait/></GetDigits>`],
    ['a stream without TLS', '<Stream bidirectional="true">ws://bridge.example.com/plivo/media</Stream>'],
    ['a stream without an address', '<Stream bidirectional="true"/>'],
    [
      'extra headers with other characters',
      '<Stream extraHeaders="token=a_b">wss://bridge.example.com/</Stream>',
    ],
    [
      'extra headers of 513 bytes',
      `<Stream extraHeaders="t=${'a'.repeat(511)}">wss://bridge.example.com/</Stream>`,
    ],
    ['the other track', '<Stream audioTrack="both">wss://bridge.example.com/</Stream>'],
  ])('%s', (_, element) => expect(verb(element)).toMatchObject({ verb: 'Faulty' }))

  test.each([
    ['another root', '<Twiml/>'],
    ['text that is not XML', '<Response>'],
    ['more than 100 kB', `<Response>${' '.repeat(102_400)}</Response>`],
  ])('%s', (_, text) => expect(parsePlivoXml(text)).toMatchObject({ ok: false }))
})

test('a hang-up as the first element rejects a call that was not answered', () => {
  expect(verb('<Hangup/>')).toEqual({ verb: 'Reject', reason: 'rejected' })
  expect(verb('<Hangup/>', { answered: true })).toEqual({ verb: 'Hangup' })
})
