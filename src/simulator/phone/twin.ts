import type { Route } from './route.ts'
import type { StreamEnd } from './stream-report.ts'
import { upgrade } from './upgrade.ts'
import { type StreamIds, Wire } from './wire.ts'

/** A second socket that says the same `start` as the first, as one who has stolen its token. Settles with its end, for which `signal` can be used; never rejects. */
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
