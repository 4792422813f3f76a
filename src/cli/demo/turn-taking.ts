import type { App } from '../../app/app.ts'

/** A speaker waits this long at most for the translation, then goes on (ms). */
const PATIENCE_MS = 8_000
/** … and this long after it was heard (ms). */
export const BREATH_MS = 500

/** Settles when the other side confirms that it heard the next translation whole, or when patience with `said` ends. */
export async function translationHeard(app: App, said: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const patience = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(resolve, ms)
  }
  using _level = app.relay.observer.on('level', ({ level }) => {
    // Patience begins when the speaker has finished.
    if (level > 0.01) patience(PATIENCE_MS)
  })
  using _utterances = app.relay.observer.on('utterance', ({ stage, audioMs }) => {
    if (stage === 'begun') patience(PATIENCE_MS + audioMs)
    else patience(BREATH_MS)
  })
  await said
  // Also for one who speaks too softly to be noticed, or not at all.
  if (!timer) patience(PATIENCE_MS)
  await promise
}

/** Settles when `count` parties have heard notices whose name begins with one of `names`, or after `ms`. */
export async function noticesHeard(app: App, names: readonly string[], ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const missing = new Set(names)
  using _notices = app.relay.observer.on('notice', ({ notice, stage }) => {
    for (const name of missing)
      if (stage === 'heard' && notice.startsWith(`notice ${name} `)) missing.delete(name)
    if (missing.size === 0) resolve()
  })
  const timer = setTimeout(resolve, ms)
  await promise
  clearTimeout(timer)
}

/** Settles when some notice was heard and then none was played for `quietMs`, or after `ms`. */
export async function noticesOver(app: App, quietMs: number, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sounding = new Set<string>()
  let quiet: NodeJS.Timeout | undefined
  using _notices = app.relay.observer.on('notice', ({ participant, notice, stage }) => {
    const one = `${participant} ${notice}`
    if (stage === 'begun') sounding.add(one)
    // Taken back before it was heard.
    else if (!sounding.delete(one)) return
    clearTimeout(quiet)
    if (sounding.size === 0) quiet = setTimeout(resolve, quietMs)
  })
  const timer = setTimeout(resolve, ms)
  await promise
  clearTimeout(timer)
  clearTimeout(quiet)
}
