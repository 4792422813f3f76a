// An external program with the package and other packages installed: what loads, and what works with their versions.
import { createRequire } from 'node:module'
import { TwilioSimulator } from 'dragoman/simulator'
import { TwilioCallsApi } from 'dragoman/twilio'

const load = createRequire(import.meta.url)
const { exports } = load('dragoman/package.json')
const codeOf = async act => {
  try {
    return await act()
  } catch (error) {
    return `${error.code}: ${error.message}`
  }
}

const entries = {}
for (const entry of Object.keys(exports).filter(name => name !== './package.json')) {
  const name = entry.replace('.', 'dragoman')
  entries[name] = await codeOf(
    async () => Object.keys(load(name)).length > 0 && (await import(name)) !== undefined,
  )
}

const call = await codeOf(async () => {
  await using simulator = await TwilioSimulator.listen()
  const { accountSid, authToken, url } = simulator
  simulator.subscriber('+15005550006')
  const there = 'http://127.0.0.1:9/'
  const order = {
    to: '+15005550006',
    from: '+15005550001',
    answerUrl: there,
    statusUrl: there,
    ringSeconds: 30,
  }
  const sid = await new TwilioCallsApi({ accountSid, authToken, apiUrl: url }).place(order)
  return simulator.calls.some(each => each.sid === sid)
})

const attached = await codeOf(async () => {
  const { Client } = load('discord.js')
  const { INTENTS, Interpreter } = load('dragoman/discord')
  const client = new Client({ intents: [...INTENTS] })
  await using interpreter = new Interpreter({ service: { url: 'http://127.0.0.1:9' } })
  interpreter.attach(client)
  return true
})

const traced = await codeOf(async () => {
  const { openTracing } = await import(
    new URL('./node_modules/dragoman/dist/app/tracing/tracing.js', import.meta.url).href
  )
  return typeof openTracing === 'function'
})

console.log(JSON.stringify({ entries, call, attached, traced }))
process.exit()
