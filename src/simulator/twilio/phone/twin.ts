import type { Route } from './route.ts'
import type { StreamEnd } from './stream-report.ts'
import { upgrade } from './upgrade.ts'
import { type StreamIds, Wire } from './wire.ts'

/**
 * Opens a second socket that sends the same `start` as the first, like an attacker with a stolen token. Settles with
 * its end, which `signal` can force; never rejects.
 */
export async function openTwin(
  route: Route,
  signature: string | undefined,
  ids: StreamIds,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const opened = await upgrade(route, signature, () => {}, signal)
  if (!opened.ok) return { by: 'refused', code: opened.status ?? 0, reason: opened.why }
  const wire = new Wire(ids)
  signal.addEventListener('abort', () => opened.socket.terminate(), { once: true })
  const ended = new Promise<StreamEnd>(resolve => {
    opened.socket.once('close', (code, reason) =>
      resolve({ by: code === 1006 ? 'network' : 'server', code, reason: reason.toString() }),
    )
  })
  opened.socket.send(wire.connected())
  opened.socket.send(wire.start(parameters))
  return ended
}
