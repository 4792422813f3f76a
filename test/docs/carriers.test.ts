import { describe, expect, test } from 'vitest'
import { signalwireCarrier } from '../../src/bridges/signalwire/carrier.ts'
import { telnyxCarrier } from '../../src/bridges/telnyx/carrier.ts'
import { signalwireProfile, telnyxProfile, telnyxPublicKey } from '../../src/simulator/index.ts'
import { parseTwiml, readXml, type StreamNoun } from '../../src/simulator/twilio/phone/twiml.ts'
import { snippets } from './pages.ts'

const SUBJECTS = [
  ['docs/channels/signalwire.md', signalwireCarrier(['key']), signalwireProfile],
  ['docs/channels/telnyx.md', telnyxCarrier({ publicKeys: [telnyxPublicKey('x')] }), telnyxProfile],
] as const

describe.each(SUBJECTS)('%s', (page, carrier, profile) => {
  const [shown] = snippets('xml').filter(snippet => snippet.page === page)

  test('shows instructions that the carrier’s simulator follows', () => {
    expect(profile.streamFault(streamOf(shown!.code).attributes ?? new Map())).toBeUndefined()
  })

  test('shows what the server sends, except for its secrets', () => {
    const [, secret = ''] = /"([^"]*SECRET)"/.exec(shown!.code) ?? []
    const { url } = streamOf(shown!.code)
    const { body } = carrier.instructions.connectStream({
      callId: 'CA1',
      streamUrl: url,
      parameters: { token: 'SINGLE-USE' },
      resumeUrl: `https://bridge.example.com/${profile.name}/resume`,
    })
    const sent = body.replace(/(authBearerToken)="[^"]*"/, `$1="${secret}"`)
    expect(shapeOf(sent)).toEqual(shapeOf(shown!.code))
  })
})

function streamOf(xml: string): StreamNoun {
  const parsed = parseTwiml(xml)
  const [verb] = parsed.ok ? parsed.verbs : []
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
