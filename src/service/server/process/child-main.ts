/**
 * Entry point of the service process, spawned by `ServiceProcess`. It receives its settings as the first message,
 * reports `listening` or `failed`, forwards its log to the parent, answers heartbeat requests, and exits with the
 * parent.
 */
import type { Logger } from '../../../common/log.ts'
import { buildService, type Service } from '../service.ts'
import type { ServiceConfig } from '../settings.ts'
import { isAsk, isStart, type ProcessMessage } from './messages.ts'

/** Maximum duration of a graceful shutdown (ms). */
const GOODBYE_MS = 3_000

const line =
  (level: 'debug' | 'info' | 'warn' | 'error') =>
  (fields: object, message: string): void =>
    say({ type: 'log', level, fields, message })

const parentLog: Logger = {
  debug: line('debug'),
  info: line('info'),
  warn: line('warn'),
  error: line('error'),
}

let service: Promise<Service> | undefined
let built: Service | undefined

process.on('message', message => {
  if (isAsk(message)) say({ type: 'alive', ...(built ? { figures: built.figures() } : {}) })
  else if (isStart(message) && !service) void start(message.config)
  else fail('config', 'the first message to a service process is { type: "start", config }')
})
process.once('disconnect', end)
process.once('SIGTERM', end)
// Ctrl-C reaches the whole process group; the parent decides when its service ends.
process.on('SIGINT', () => {})
// Node would open its inspector, which exposes every key.
process.on('SIGUSR1', () => {})
// The parent has possibly exited before this process could notice.
if (!process.connected) end()

async function start(config: ServiceConfig): Promise<void> {
  try {
    service = buildService(config, { log: parentLog })
    built = await service
    const { port } = await built.listen()
    say({ type: 'listening', port })
  } catch (error) {
    fail(error instanceof RangeError ? 'config' : 'start', (error as Error).message)
  }
}

function fail(code: 'config' | 'start', message: string): void {
  process.exitCode = 1
  if (process.connected) process.send?.({ type: 'failed', code, message } satisfies ProcessMessage, end)
  else end()
}

function end(): void {
  setTimeout(() => process.exit(), GOODBYE_MS).unref()
  const closed = service?.then(each => each.close())
  void Promise.resolve(closed)
    .catch(() => {})
    .finally(() => process.exit())
}

/** A parent that has just exited is not an error: the process exits as soon as it notices. */
function say(message: ProcessMessage): void {
  if (process.connected) process.send?.(message, () => {})
}
