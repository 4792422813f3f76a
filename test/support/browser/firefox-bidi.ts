import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'

// Run by `firefox.sh`, which Playwright starts as its browser: starts Firefox, and passes on Playwright's commands over
// WebDriver BiDi. Two gaps are filled: Playwright starts no page if a command fails that Firefox ESR 140 does not know, so
// those do nothing; and it evaluates expressions with `eval`, which the policy of a page forbids, so they become code of the
// command itself.

const ANNOUNCEMENT = /WebDriver BiDi listening on (ws:\S+)/
/**
 * Commands of Playwright that Firefox ESR 140 does not know, and no test needs: their results. Response bodies are not
 * collected, downloads are not kept, and language, theme and motion are preferences.
 */
const OPTIONAL: Readonly<Record<string, object>> = {
  'network.addDataCollector': { collector: 'none' },
  'browser.setDownloadBehavior': {},
  'emulation.setLocaleOverride': {},
  'emulation.setMediaFeaturesOverride': {},
  'emulation.setScreenOrientationOverride': {},
  'emulation.setScreenSettingsOverride': {},
}
interface Command {
  readonly id: number
  readonly method: string
  readonly params: {
    readonly functionDeclaration?: string
    readonly arguments?: readonly { readonly type?: string; readonly value?: unknown }[]
  }
}

interface Answer {
  readonly id?: number
  readonly type: string
  readonly method?: string
  readonly error?: string
}

/** Returns `command` with the expression in it as code instead of as an argument; undefined if it has none. */
function withoutEval({ params, ...command }: Command): string | undefined {
  const expression = params.arguments?.[3]
  if (!params.functionDeclaration?.includes('.evaluate(...') || expression?.type !== 'string')
    return undefined
  const functionDeclaration = `(script, ...args) => {
    const { global } = script
    script.global = { eval: () => (${expression.value}
    ) }
    try { return script.evaluate(...args) } finally { script.global = global }
  }`
  return JSON.stringify({ ...command, params: { ...params, functionDeclaration } })
}

/** Passes messages between Playwright and Firefox. */
function relay(playwright: WebSocket, firefox: WebSocket): void {
  const opened = once(firefox, 'open')
  /** Methods of optional commands by ID. */
  const optional = new Map<number, string>()
  playwright.on('message', async data => {
    const text = String(data)
    const command = JSON.parse(text) as Command
    await opened
    if (command.method in OPTIONAL) optional.set(command.id, command.method)
    firefox.send(withoutEval(command) ?? text)
  })
  firefox.on('message', data => {
    const text = String(data)
    const answer = JSON.parse(text) as Answer
    // Playwright tries `eval` itself when a page is loaded.
    if (answer.method === 'log.entryAdded' && text.includes('blocked a JavaScript eval')) return
    const method = optional.get(answer.id ?? 0)
    if (method !== undefined && answer.error === 'unknown command')
      return playwright.send(JSON.stringify({ id: answer.id, type: 'success', result: OPTIONAL[method] }))
    playwright.send(text)
  })
  firefox.on('close', () => playwright.close())
  playwright.on('close', () => firefox.close())
}

const firefox = spawn('firefox-esr', [...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'pipe'],
})
firefox.on('exit', code => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => firefox.kill(signal))
createInterface({ input: firefox.stderr }).on('line', async line => {
  const address = ANNOUNCEMENT.exec(line)?.[1]
  if (address === undefined) return process.stderr.write(`${line}\n`)
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket, { url = '' }) => relay(socket, new WebSocket(address + url)))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${port}\n`)
})
