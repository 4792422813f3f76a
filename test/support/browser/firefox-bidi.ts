import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'

// Run by `firefox.sh`, which Playwright starts as its browser: starts Firefox, and passes on Playwright's commands over
// WebDriver BiDi. Two gaps are filled: Playwright cannot open a page without `emulation.setMediaFeaturesOverride`, which
// Firefox does not have and which is carried out here as Firefox's developer tools do; and it ignores downloads without
// an ID, as Firefox reports those of links with the attribute `download`.

const ANNOUNCEMENT = /WebDriver BiDi listening on (ws:\S+)/
const MISSING = 'emulation.setMediaFeaturesOverride'
/**
 * Commands of Playwright that Firefox ESR 140 does not know yet, and no test needs: their results. Response bodies are not
 * collected, downloads are only reported, and the language of a page is a preference.
 */
const OPTIONAL: Readonly<Record<string, object>> = {
  'network.addDataCollector': { collector: 'none' },
  'browser.setDownloadBehavior': {},
  'emulation.setLocaleOverride': {},
  'emulation.setScreenOrientationOverride': {},
  'emulation.setScreenSettingsOverride': {},
}
/** IDs of commands from here; Playwright counts its own from 1. */
const OWN_IDS = 1_000_000_000

interface Command {
  readonly id: number
  readonly method: string
  readonly params: {
    readonly features?: Readonly<Record<string, string | null>>
    readonly contexts?: readonly string[]
  }
}

interface Answer {
  readonly id?: number
  readonly type: string
  readonly method?: string
  readonly error?: string
  readonly params?: { readonly url?: string; readonly context?: string }
  readonly result?: { readonly contexts?: readonly { readonly context: string }[] }
}

/** The part of `ws` that frames of one connection are sent on. */
type Peer = Pick<WebSocket, 'send'>

/** Carries out what Firefox lacks, in the context of the browser's own window. */
class MediaEmulation {
  readonly #firefox: Peer
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #nextId = OWN_IDS

  constructor(firefox: Peer) {
    this.#firefox = firefox
  }

  /** Returns true if `answer` belongs to a command from here. */
  accept(answer: Answer): boolean {
    const settle = answer.id === undefined ? undefined : this.#waiting.get(answer.id)
    if (answer.id === undefined || !settle) return false
    this.#waiting.delete(answer.id)
    settle(answer)
    return true
  }

  /** Defaults of a user context (without `contexts`) are left out: tests set the theme of a page. */
  async set({ features = {}, contexts = [] }: Command['params']): Promise<void> {
    if (contexts.length === 0) return
    const { result } = await this.#ask('browsingContext.getTree', { 'moz:scope': 'chrome', maxDepth: 0 })
    const window = result?.contexts?.[0]?.context
    const scheme = features['prefers-color-scheme'] ?? 'none'
    const answer = await this.#ask('script.evaluate', {
      expression: `{
        const { NavigableManager } = ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs')
        for (const id of ${JSON.stringify([...new Set(contexts)])})
          NavigableManager.getBrowsingContextById(id).top.prefersColorSchemeOverride = ${JSON.stringify(scheme)}
      }`,
      target: { context: window },
      awaitPromise: false,
    })
    const failure = JSON.stringify(answer)
    if (!failure.includes('"type":"success"') || failure.includes('exceptionDetails'))
      throw new Error(failure)
  }

  #ask(method: string, params: object): Promise<Answer> {
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#waiting.set(id, resolve)
    this.#firefox.send(JSON.stringify({ id, method, params }))
    return promise
  }
}

/** Start and end of a download have the address of its data in common. */
function withDownloadId({ params, ...event }: Answer): string {
  return JSON.stringify({ ...event, params: { download: `${params?.context} ${params?.url}`, ...params } })
}

/** Passes messages between Playwright and Firefox. */
function relay(playwright: WebSocket, firefox: WebSocket): void {
  const media = new MediaEmulation(firefox)
  const opened = once(firefox, 'open')
  /** Methods of optional commands by ID. */
  const optional = new Map<number, string>()
  playwright.on('message', async data => {
    const text = String(data)
    const command = JSON.parse(text) as Command
    await opened
    if (command.method in OPTIONAL) optional.set(command.id, command.method)
    if (command.method !== MISSING) return firefox.send(text)
    const answer = await media.set(command.params).then(
      () => ({ type: 'success', result: {} }),
      (error: Error) => ({ type: 'error', error: 'unknown error', message: error.message }),
    )
    playwright.send(JSON.stringify({ id: command.id, ...answer }))
  })
  firefox.on('message', data => {
    const text = String(data)
    const answer = JSON.parse(text) as Answer
    if (media.accept(answer)) return
    const method = optional.get(answer.id ?? 0)
    if (method !== undefined && answer.error === 'unknown command')
      return playwright.send(JSON.stringify({ id: answer.id, type: 'success', result: OPTIONAL[method] }))
    playwright.send(answer.method?.startsWith('browsingContext.download') ? withDownloadId(answer) : text)
  })
  firefox.on('close', () => playwright.close())
  playwright.on('close', () => firefox.close())
}

const firefox = spawn('firefox-esr', [...process.argv.slice(2), '--remote-allow-system-access'], {
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
