import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import browserBridge from '../../src/bridges/browser/index.ts'
import discordBridge from '../../src/bridges/discord/index.ts'
import twilioBridge from '../../src/bridges/phone/twilio/index.ts'
import { noopLogger } from '../../src/common/log.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { FakeAnnouncer } from '../support/relay/fake-announcer.ts'

const relay = new Relay({ translator: new FakeTranslator(), options: relayOptions() })
const BRIDGES = {
  twilio: {
    plugin: twilioBridge,
    right: { relay, invite: () => ({ room: 'r' }), publicUrl: 'https://a.example', authTokens: ['t'] },
  },
  browser: {
    plugin: browserBridge,
    right: {
      relay,
      offer: () => Promise.reject(new Error('none')),
      languages: { speaks: 'en-us', hears: 'es-es' },
    },
  },
  discord: {
    plugin: discordBridge,
    right: {
      ...{ relay, token: 'abc', announcer: new FakeAnnouncer() },
      languages: () => Promise.reject(new Error('none')),
    },
  },
} as const

/** Returns the error of registering; undefined: none. */
async function said(bridge: keyof typeof BRIDGES, more: object, without: string[] = []) {
  const app = Fastify()
  const { plugin, right } = BRIDGES[bridge]
  const options = Object.fromEntries(
    Object.entries({ ...right, ...more }).filter(([key]) => !without.includes(key)),
  )
  try {
    await app.register(plugin as never, options as never)
    return undefined
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return `${code} ${message}`
  } finally {
    await app.close()
  }
}

describe('the options of a bridge', () => {
  it.each(['twilio', 'browser', 'discord'] as const)('of %s are accepted if valid', async bridge => {
    expect(await said(bridge, {})).toBe(undefined)
    expect(await said(bridge, { log: noopLogger, logLevel: 'warn' })).toBe(undefined)
  })

  it.each<[keyof typeof BRIDGES, string, object, string]>([
    ['twilio', 'invite', {}, 'invite must be a function: it decides on each new call, got undefined'],
    [
      'twilio',
      'relay',
      {},
      'relay must be the relay or policy that admits legs: an object with admit(), got undefined',
    ],
    [
      'twilio',
      '',
      { relay: {} },
      'relay must be the relay or policy that admits legs: an object with admit(), got an object',
    ],
    ['twilio', '', { publicURL: 'https://b.example' }, 'unknown option publicURL, did you mean publicUrl?'],
    ['twilio', '', { limits: { maxCall: 1 } }, 'unknown option limits.maxCall, did you mean maxCalls?'],
    ['twilio', '', { limits: { maxCalls: 'many' } }, 'limits.maxCalls must be a number, got "many"'],
    ['twilio', '', { limits: { maxCalls: 0 } }, 'limits.maxCalls must be a number >=1, got 0'],
    [
      'twilio',
      '',
      { authTokens: 'secret-token' },
      "authTokens must be a list of the account's auth tokens, got a string",
    ],
    [
      'browser',
      'offer',
      {},
      'offer must be a function: it resolves to the languages and voices of the service, got undefined',
    ],
    ['browser', '', { settings: { acces: 'anyone' } }, 'unknown option settings.acces, did you mean access?'],
    [
      'browser',
      '',
      { languages: { speaks: 'en-us' } },
      'languages.hears must be a language like en-us: <language>-<region>, got undefined',
    ],
    ['discord', 'token', {}, "token must be the bot's token, got undefined"],
    [
      'discord',
      'announcer',
      {},
      'announcer must be the announcer of notices: an object with notice(), got undefined',
    ],
    [
      'discord',
      '',
      { channels: { maxChannel: 1 } },
      'unknown option channels.maxChannel, did you mean maxChannels?',
    ],
    ['discord', '', { commands: { dial: true } }, 'unknown option commands.dial, did you mean dials?'],
  ])('of %s are rejected at once (%s %j)', async (bridge, without, more, expected) => {
    const words = await said(bridge, more, [without])
    expect(words).toBe(`CONFIG ${bridge}-bridge: ${expected}`)
  })

  it('are all listed if invalid, without secrets', async () => {
    const words = await said('twilio', { invit: 1, authTokens: ['s3cret', 5] }, ['invite'])
    expect(words).toContain('invite must be')
    expect(words).toContain('authTokens.1 must be an auth token, got 5')
    expect(words).toContain('unknown option invit')
    expect(words).not.toContain('s3cret')
  })
})

it('a bridge without a logger uses that of the app', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  const app = Fastify({ logger: { stream } })
  await app.register(twilioBridge, { relay, invite: () => ({ room: 'r' }), insecure: true })
  await app.inject({ method: 'POST', url: '/twilio/voice', remoteAddress: '203.0.113.7' })
  await app.close()
  expect(lines).toContain('INSECURE: accepting unverified requests from this machine only')
  expect(lines).toContain('request rejected: invalid signature')
})
