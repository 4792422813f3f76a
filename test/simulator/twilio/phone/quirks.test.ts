import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { placeCall, type Quirks } from '../../../../simulator/index.ts'
import { type StandIn, standIn } from '../../../support/simulator/fake-bridge.ts'

const TOKEN = 'secret'
const STREAM = 'wss://bridge.example.com/media'

function callWith(server: StandIn, quirks: Quirks) {
  return placeCall({
    webhook: server.webhook,
    publicUrl: 'https://bridge.example.com',
    authToken: TOKEN,
    quirks,
  })
}

/** The server of one call with `quirks`. */
async function seen(quirks: Quirks) {
  const server = await standIn({ streamUrl: STREAM })
  const call = await callWith(server, quirks)
  await call.hangUp()
  await server[Symbol.asyncDispose]()
  return server
}

describe('forged signatures', () => {
  const isValid = (signature: string | undefined) =>
    twilio.validateRequest(TOKEN, signature ?? '', STREAM, {})

  test.each(['none', 'wrong-token', 'https', 'other-path'] as const)('upgrade: %s', async streamSignature => {
    const server = await seen({ streamSignature })
    const raw = server.sockets[0]!.rawHeaders
    const at = raw.indexOf('x-twilio-signature')
    expect(at < 0).toBe(streamSignature === 'none')
    expect(isValid(at < 0 ? undefined : raw[at + 1])).toBe(false)
  })

  test.each(['none', 'wrong-token'] as const)('webhook: %s', async webhookSignature => {
    const server = await seen({ webhookSignature })
    const { headers, fields } = server.hooks[0]!
    const signature = headers['x-twilio-signature'] as string | undefined
    expect(signature === undefined).toBe(webhookSignature === 'none')
    const url = 'https://bridge.example.com/twilio/voice'
    expect(twilio.validateRequest(TOKEN, signature ?? '', url, fields)).toBe(false)
  })
})
