import { describe, expect, it } from 'vitest'
import { type ConfigInput, loadConfig } from '../../../src/app/settings/load.ts'

const ID = '1046021938471923712'
const load = (discord: ConfigInput['discord'], more: ConfigInput = {}) =>
  loadConfig({ env: {}, overrides: { ...more, discord } }).discord

describe('settings of Discord', () => {
  it('have no token by default and can read it from a file', () => {
    expect(load({}).token).toBeUndefined()
    const env = { DRAGOMAN_DISCORD_TOKEN_FILE: import.meta.filename, DRAGOMAN_DISCORD_GUILDS: ID }
    const { discord } = loadConfig({ env })
    expect(discord.token).toContain('import')
    expect(discord.guilds).toEqual([ID])
  })

  it('accept up to two output languages, in any spelling', () => {
    expect(load({ output: ['en_US', 'es-es'] }).output).toEqual(['en-us', 'es-es'])
    expect(() => load({ output: ['en-us', 'es-es', 'de-de'] })).toThrow(
      /discord\.output.*one or two languages/,
    )
  })

  it.each([Number(ID) as never, 'lounge', '#lounge', '12'])('accept only quoted ids: %s', channel =>
    expect(() => load({ autoJoin: [channel] })).toThrow(/15 to 20 digits, in quotes/),
  )

  it.each([
    'http://127.0.0.1:1/api',
    'http://[::1]:1',
    'http://localhost:1/api',
    'https://proxy.example.com',
  ])('accept a local address or https: %s', apiUrl => expect(load({ apiUrl }).apiUrl).toBe(apiUrl))

  it.each(['http://discord.example.com/api', 'ftp://127.0.0.1', 'discord.com', 'https://a:b@example.com'])(
    'reject any other address: %s',
    apiUrl => expect(() => load({ apiUrl })).toThrow(/https:\/\/ address, or http:\/\/ on this machine/),
  )

  it('reject dial roles when outbound calling is not configured', () => {
    expect(() => load({ dialRoles: [ID] })).toThrow(/discord\.dialRoles.*unless twilio\.outbound/)
    const outbound = {
      accountSid: `AC${'x'.repeat(32)}`,
      from: '+15551230001',
      allowedPrefixes: ['+1'],
    }
    const more = { publicUrl: 'https://bridge.example.com', twilio: { authToken: 'token', outbound } }
    expect(load({ dialRoles: [ID] }, more).dialRoles).toEqual([ID])
  })

  it('never show the token', () => {
    const wrong = () => load({ token: 'very secret token', maxChannels: -1 })
    expect(wrong).toThrow(/maxChannels/)
    expect(wrong).not.toThrow(/very secret/)
  })
})
