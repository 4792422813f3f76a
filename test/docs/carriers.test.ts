import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { plivoCarrier } from '../../src/bridges/phone/plivo/dialect.ts'
import { signalwireCarrier } from '../../src/bridges/phone/signalwire/dialect.ts'
import { telnyxCarrier } from '../../src/bridges/phone/telnyx/dialect.ts'
import type { PhoneProfile } from '../../src/simulator/index.ts'
import { plivoProfile, signalwireProfile, telnyxProfile, telnyxPublicKey } from '../../src/simulator/index.ts'
import { readXml, type StreamNoun, type Verb } from '../../src/simulator/twilio/phone/twiml.ts'
import { snippets } from './pages.ts'

const SUBJECTS = [
  ['docs/channels/signalwire.md', signalwireCarrier(['key']), signalwireProfile],
  ['docs/channels/telnyx.md', telnyxCarrier({ publicKeys: [telnyxPublicKey('x')] }), telnyxProfile],
  ['docs/channels/plivo.md', plivoCarrier(['token']), plivoProfile],
] as const

describe.each(SUBJECTS)('%s', (page, carrier, profile) => {
  const [shown] = snippets('xml').filter(snippet => snippet.page === page)

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

test('docs/channels/plivo.md shows the menu that the server sends', () => {
  const [, shown] = snippets('xml').filter(snippet => snippet.page === 'docs/channels/plivo.md')
  expect(verbsOf(plivoProfile, shown!.code)[0]?.verb).toBe('Gather')
  const { body } = plivoCarrier(['token']).instructions.gatherKeys({
    playUrls: ['https://bridge.example.com/plivo/prompt.wav'],
    actionUrl: 'https://bridge.example.com/plivo/menu',
    keys: 1,
    pauseSeconds: 5,
  })
  expect(shapeOf(body)).toEqual(shapeOf(shown!.code))
})

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
