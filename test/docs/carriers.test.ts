import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PhoneProfile } from '../../simulator/index.ts'
import { plivoProfile, signalwireProfile, telnyxProfile, telnyxPublicKey } from '../../simulator/index.ts'
import { readXml, type StreamNoun, type Verb } from '../../simulator/twilio/phone/twiml.ts'
import { plivoCarrier } from '../../src/bridges/phone/plivo/dialect.ts'
import { signalwireCarrier } from '../../src/bridges/phone/signalwire/dialect.ts'
import { telnyxCarrier } from '../../src/bridges/phone/telnyx/dialect.ts'
import { pages, type Snippet, snippets, snippetsOf } from './pages.ts'

const SUBJECTS = [
  ['SignalWire', signalwireCarrier(['key']), signalwireProfile],
  ['Telnyx', telnyxCarrier({ publicKeys: [telnyxPublicKey('x')] }), telnyxProfile],
  ['Plivo', plivoCarrier(['token']), plivoProfile],
] as const

describe.each(SUBJECTS)('docs/channels/carriers.md, %s', (section, carrier, profile) => {
  const [shown] = xmlBelow(section)

  test('shows instructions that the carrier’s simulator follows', () => {
    expect(profile.streamFault(streamOf(profile, shown!.code).attributes ?? new Map())).toBeUndefined()
  })

  test('shows what the server sends, except for its secrets', () => {
    const [, secret = ''] = /"([^"]*SECRET)"/.exec(shown!.code) ?? []
    const { url } = streamOf(profile, shown!.code)
    const { body } = carrier.instructions.connectStream({
      callId: 'CA1',
      streamUrl: url,
      parameters: { token: 'SINGLE-USE' },
      resumeUrl: `https://bridge.example.com/${profile.name}/resume`,
    })
    const sent = body
      .replace(/(authBearerToken)="[^"]*"/, `$1="${secret}"`)
      .replace(/(extraHeaders="token)=\w*/, '$1=SECRET')
    expect(shapeOf(sent)).toEqual(shapeOf(shown!.code))
  })
})

test('docs/channels/asterisk.md shows the connection that the conformance suite uses', () => {
  const [shown] = snippets('ini').filter(snippet => snippet.page === 'docs/channels/asterisk.md')
  const example = readFileSync(
    new URL('../../examples/asterisk/websocket_client.conf', import.meta.url),
    'utf8',
  )
  expect(shown!.code.trim()).toBe(example.trim())
})

test('docs/channels/carriers.md shows the menu that the server sends', () => {
  const [, shown] = xmlBelow('Plivo')
  expect(verbsOf(plivoProfile, shown!.code)[0]?.verb).toBe('Gather')
  const { body } = plivoCarrier(['token']).instructions.gatherKeys({
    playUrls: ['https://bridge.example.com/plivo/prompt.wav'],
    actionUrl: 'https://bridge.example.com/plivo/menu',
    keys: 1,
    pauseSeconds: 5,
  })
  expect(shapeOf(body)).toEqual(shapeOf(shown!.code))
})

/** The blocks of XML below a heading of the second level in the page of the carriers. */
function xmlBelow(heading: string): readonly Snippet[] {
  const page = pages().find(({ path }) => path === 'docs/channels/carriers.md')!
  const text = page.text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return snippetsOf({ ...page, text }).filter(({ language }) => language === 'xml')
}

function verbsOf(profile: PhoneProfile, xml: string): readonly Verb[] {
  const parsed = profile.instructions(xml, {})
  return parsed.ok ? parsed.verbs : []
}

function streamOf(profile: PhoneProfile, xml: string): StreamNoun {
  const [verb] = verbsOf(profile, xml)
  if (verb?.verb !== 'Connect') throw new Error('no stream')
  return verb.stream
}

/** The elements without the space between them. */
function shapeOf(xml: string): unknown {
  const shape = (element: ReturnType<typeof readXml>): unknown => {
    if (typeof element === 'string') return element
    const { name, attributes, children, text } = element
    return {
      name,
      attributes: Object.fromEntries(attributes),
      text: text.trim(),
      children: children.map(shape),
    }
  }
  return shape(readXml(xml))
}
