import type { App } from '../../app/app.ts'

/** Maximum time that a speaker waits for the translation (ms). */
const PATIENCE_MS = 8_000
/** Pause of a speaker after the translation was played (ms). */
export const BREATH_MS = 500

/**
 * Settles when the listener confirms complete playback of the next translation, or when the wait after `said` expires.
 */
export async function translationHeard(app: App, said: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const patience = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(resolve, ms)
  }
  using _level = app.relay.observer.on('level', ({ level }) => {
    // The wait starts when the speaker has finished.
    if (level > 0.01) patience(PATIENCE_MS)
  })
  using _utterances = app.relay.observer.on('utterance', ({ stage, audioMs }) => {
    if (stage === 'begun') patience(PATIENCE_MS + audioMs)
    else patience(BREATH_MS)
  })
  await said
  // Also covers a speaker who is silent or too quiet to be detected.
  if (!timer) patience(PATIENCE_MS)
  await promise
}

/** Settles when a notice of each name in `names` was played completely, or after `ms`. */
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

/** Settles when a notice was played and then none for `quietMs`, or after `ms`. */
export async function noticesOver(app: App, quietMs: number, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const sounding = new Set<string>()
  let quiet: NodeJS.Timeout | undefined
  using _notices = app.relay.observer.on('notice', ({ participant, notice, stage }) => {
    const one = `${participant} ${notice}`
    if (stage === 'begun') sounding.add(one)
    // A notice withdrawn before playback.
    else if (!sounding.delete(one)) return
    clearTimeout(quiet)
    if (sounding.size === 0) quiet = setTimeout(resolve, quietMs)
  })
  const timer = setTimeout(resolve, ms)
  await promise
  clearTimeout(timer)
  clearTimeout(quiet)
}
