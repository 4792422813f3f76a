import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TwilioSimulator } from '../../simulator/twilio/rest/twilio-simulator.ts'
import { Shell } from '../support/shell.ts'

const NUMBER = '+15550001111'
const OLD = 'https://old.example.com/voice'

let shell: Shell
let twilio: TwilioSimulator
beforeEach(async () => {
  shell = await Shell.open()
  twilio = await TwilioSimulator.listen({ numbers: { [NUMBER]: { VoiceUrl: OLD, VoiceMethod: 'GET' } } })
  const settings = {
    publicUrl: 'https://bridge.example.com',
    twilio: {
      authToken: twilio.authToken,
      outbound: { accountSid: twilio.accountSid, from: NUMBER, allowedPrefixes: ['+1'], apiUrl: twilio.url },
    },
  }
  // JSON is valid YAML.
  await writeFile(join(shell.folder, 'dragoman.yaml'), JSON.stringify(settings))
})
afterEach(async () => {
  await shell[Symbol.asyncDispose]()
  await twilio.close()
})

const number = () => twilio.numbers.find(each => each.number === NUMBER)?.json

describe('dragoman twilio', () => {
  test('bind points a number at this server; unbind restores the previous settings', async () => {
    const bound = await shell.run('twilio', 'bind', NUMBER)
    expect(bound).toMatchObject({ code: 0, err: '' })
    expect(bound.out).toContain(`${NUMBER} now calls https://bridge.example.com/twilio/voice`)
    expect(bound.out).toContain(`before: ${OLD}`)
    expect(number()).toMatchObject({
      voice_url: 'https://bridge.example.com/twilio/voice',
      voice_method: 'POST',
      status_callback: 'https://bridge.example.com/twilio/status',
    })
    const again = await shell.run('twilio', 'bind', NUMBER, '--json')
    expect(JSON.parse(again.out)).toMatchObject({ number: NUMBER, changed: false })
    const unbound = await shell.run('twilio', 'unbind', NUMBER)
    expect(unbound).toMatchObject({ code: 0, err: '' })
    expect(number()).toMatchObject({ voice_url: OLD, voice_method: 'GET', status_callback: '' })
    expect(JSON.parse(await readFile(join(shell.folder, 'dragoman.numbers.json'), 'utf8'))).toEqual({})
  })

  test('needs neither settings of outbound calls nor an https address against the simulator', async () => {
    await writeFile(
      join(shell.folder, 'dragoman.yaml'),
      JSON.stringify({ twilio: { authToken: twilio.authToken } }),
    )
    const account = ['--account-sid', twilio.accountSid, '--api-url', twilio.url]
    const bound = await shell.run('twilio', 'bind', NUMBER, ...account, '--url', 'http://127.0.0.1:8080')
    expect(bound).toMatchObject({ code: 0, err: '' })
    expect(number()).toMatchObject({ voice_url: 'http://127.0.0.1:8080/twilio/voice' })
    const unbound = await shell.run('twilio', 'unbind', NUMBER, ...account)
    expect(unbound).toMatchObject({ code: 0, err: '' })
    expect(number()).toMatchObject({ voice_url: OLD, voice_method: 'GET' })
    const wrong = await shell.run(
      'twilio',
      'unbind',
      NUMBER,
      '--account-sid',
      twilio.accountSid,
      '--api-url',
      'x',
    )
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('--api-url is an http:// or https:// address, found "x"')
  })

  test('reports problems in one sentence', async () => {
    const foreign = await shell.run('twilio', 'bind', '+15550009999')
    expect(foreign.code).toBe(1)
    expect(foreign.err).toContain('the account has no such number')
    const local = await shell.run('twilio', 'bind', '15550001111')
    expect(local).toMatchObject({ code: 1 })
    expect(local.err).toContain('expected a number like +15551234567, found "15550001111"')
    const unknown = await shell.run('twilio', 'unbind', NUMBER)
    expect(unknown.code).toBe(1)
    expect(unknown.err).toContain('has no record of the number’s earlier settings')
    await writeFile(join(shell.folder, 'dragoman.yaml'), '')
    const nothing = await shell.run('twilio', 'bind', NUMBER)
    expect(nothing.code).toBe(1)
    expect(nothing.err).toContain('set publicUrl or --url')
    const nobody = await shell.run('twilio', 'bind', NUMBER, '--url', 'https://bridge.example.com')
    expect(nobody.err).toContain('the account of the number is unknown')
    for (const { err } of [foreign, unknown, nothing, nobody]) expect(err).not.toMatch(/\n\s+at /)
  })
})
