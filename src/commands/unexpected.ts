import type { App } from '../app.ts'
import { type Log, thrown } from '../core/log.ts'

/** What sysexits.h calls an internal software error. */
const SOFTWARE = 70
/** Calls have this long to be handed over by a process that does not know how it is (ms). */
const LEAVE_MS = 5_000

/**
 * When something is thrown that nobody catches, nobody knows what is true any more: calls are handed over and this process
 * ends, for a supervisor to start another. A second one ends it at once.
 */
export function leaveOnFailure(app: Pick<App, 'drain' | 'leave'>, log: Log): void {
  let again = false
  process.on('uncaughtException', error => {
    const end = () => process.exit(SOFTWARE)
    // Never left to Node, which would write out all that hangs on the error.
    if (again) return end()
    again = true
    log.error(thrown(error), 'failed unexpectedly: calls are handed over, and the process ends')
    setTimeout(end, LEAVE_MS)
    app.drain.hurry()
    void app.leave().then(end, end)
  })
}

/** Whoever read what this process writes may go, and calls go on: a terminal that was closed is no reason to end any. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
