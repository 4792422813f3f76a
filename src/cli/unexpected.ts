import type { App } from '../app/app.ts'
import { type Log, thrown } from '../common/log.ts'

/** Exit code for an internal software error, from sysexits.h. */
const SOFTWARE = 70
/** Time for handing over calls when the state of the process is unknown (ms). */
const LEAVE_MS = 5_000

/**
 * After an uncaught exception the state of the process is undefined: calls are handed over and the process exits, so
 * that a supervisor restarts it. A second exception exits at once.
 */
export function leaveOnFailure(app: Pick<App, 'drain' | 'leave'>, log: Log): void {
  let again = false
  process.on('uncaughtException', error => {
    const end = () => process.exit(SOFTWARE)
    // Never left to Node, which would print everything attached to the error.
    if (again) return end()
    again = true
    log.error(thrown(error), 'unexpected failure: handing over calls, exiting')
    setTimeout(end, LEAVE_MS)
    app.drain.hurry()
    void app.leave().then(end, end)
  })
}

/** Keeps calls running when the reader of the output goes away, such as a closed terminal. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
