/**
 * The service in a process of its own, made by `ServiceProcess`: it gets its settings as the first message, says
 * `listening` or `failed`, hands its log to the parent, answers when it is asked for a sign of life, and goes when the
 * parent goes.
 */
import type { Log } from '../../core/log.ts'
import { isAsk, isStart, type ProcessMessage } from './process-messages.ts'
import { buildService, type Service } from './service.ts'
import type { ServiceConfig } from './service-config.ts'

/** After this long a graceful end is given up (ms). */
const GOODBYE_MS = 3_000

const line =
  (level: 'debug' | 'info' | 'warn' | 'error') =>
  (fields: object, message: string): void =>
    say({ type: 'log', level, fields, message })

const parentLog: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }

let service: Promise<Service> | undefined
let built: Service | undefined

process.on('message', message => {
  if (isAsk(message)) say({ type: 'alive', ...(built ? { figures: built.figures() } : {}) })
  else if (isStart(message) && !service) void start(message.config)
  else fail('config', 'the first message to a service process is { type: "start", config }')
})
process.once('disconnect', end)
process.once('SIGTERM', end)
// Ctrl-C reaches the whole group; the parent decides what becomes of its service.
process.on('SIGINT', () => {})
// Node would open its inspector, in which every key can be read.
process.on('SIGUSR1', () => {})
// The parent may have gone before this process could notice.
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

/** A parent that has just gone is no error: the process ends by itself as soon as it notices. */
function say(message: ProcessMessage): void {
  if (process.connected) process.send?.(message, () => {})
}
