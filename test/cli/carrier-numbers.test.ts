import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { listenSignalwire, TwilioSimulator } from '../../simulator/index.ts'
import { loadConfig } from '../../src/app/settings/load.ts'
import { bindNumber, unbindNumber } from '../../src/cli/carrier-numbers.ts'
import { Terminal } from '../../src/cli/terminal.ts'

const NUMBER = '+15550001111'

async function setUp(signalwire: object) {
  const folder = await mkdtemp(join(tmpdir(), 'numbers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const out = new PassThrough()
  const terminal = new Terminal(out as unknown as NodeJS.WriteStream)
  const config = loadConfig({ env: {}, overrides: { publicUrl: 'https://bridge.example.com', signalwire } })
  const options = { carrier: 'signalwire', file: join(folder, 'numbers.json') } as const
  return { config, options, terminal, printed: () => String(out.read()) }
}

test('dragoman signalwire bind and unbind change a number and restore it', async () => {
  const earlier = 'https://old.example.com/voice'
  await using simulator = await listenSignalwire({ numbers: { [NUMBER]: { VoiceUrl: earlier } } })
  const { url: apiUrl, accountSid: projectId, authToken: apiToken } = simulator
  const outbound = {
    ...{ space: 'example.signalwire.com', projectId, apiToken, apiUrl },
    ...{ from: NUMBER, allowedPrefixes: ['+34'] },
  }
  const { config, options, terminal, printed } = await setUp({ signingKey: apiToken, outbound })
  await bindNumber(config, NUMBER, options, terminal)
  const bound = printed()
  expect(bound).toContain(`${NUMBER} now calls https://bridge.example.com/signalwire/voice`)
  expect(bound).toContain(`dragoman signalwire unbind ${NUMBER} --file ${options.file}\n`)
  expect(await readFile(options.file, 'utf8')).toContain(earlier)
  await unbindNumber(config, NUMBER, options, terminal)
  expect(printed()).toContain(`${NUMBER} now calls ${earlier}`)
})

test('a number of SignalWire cannot be bound without its project', async () => {
  const { config, options, terminal } = await setUp({ signingKey: 'key' })
  await expect(bindNumber(config, NUMBER, options, terminal)).rejects.toThrow('set signalwire.outbound')
})

test('the printed unbind command repeats the options that select the account and its file', async () => {
  await using simulator = await TwilioSimulator.listen({ numbers: { [NUMBER]: {} } })
  const { options, terminal, printed } = await setUp({ signingKey: 'key' })
  const config = loadConfig({
    env: {},
    overrides: { publicUrl: 'https://bridge.example.com', twilio: { authToken: simulator.authToken } },
  })
  const { accountSid, url: apiUrl } = simulator
  await bindNumber(
    config,
    NUMBER,
    { ...options, carrier: 'twilio', accountSid, apiUrl, config: 'other.yaml' },
    terminal,
  )
  expect(printed()).toContain(
    `dragoman twilio unbind ${NUMBER} --account-sid ${accountSid} --api-url ${apiUrl} --file ${options.file} --config other.yaml\n`,
  )
})
