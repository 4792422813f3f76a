import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Log } from '../core/log.ts'
import { ServiceHttp } from '../service/client/service-http.ts'
import { ServiceProcess } from '../service/server/child.ts'
import type { ServiceConfig } from '../service/server/service-config.ts'
import type { Terminal } from './terminal.ts'

/** Runs the embedded translation service alone; returns when it listens. */
export async function service(config: Config, terminal: Terminal, log: Log): Promise<ServiceProcess> {
  const settings = structuredClone(config.embedded) as ServiceConfig
  const given = settings.apiKeys ?? []
  // Without a key nobody could use it: one is made for this run and shown once.
  const made = given.length === 0 && !settings.open ? randomBytes(18).toString('base64url') : undefined
  const process = await ServiceProcess.start({ ...settings, apiKeys: made ? [made] : given }, { log })
  terminal.line(`Translation service at ${process.url}`)
  if (made) terminal.line(`  key for this run     ${made}`)
  const first = made ?? given[0]
  const apiKey = typeof first === 'string' ? first : (first?.key ?? '')
  const languages = await new ServiceHttp({ url: process.url, apiKey }).languages()
  const ids = (wanted: (entry: (typeof languages)[number]) => boolean) =>
    languages
      .filter(wanted)
      .map(({ languageId }) => languageId)
      .join(' ') || 'none'
  terminal.line(`  speech from          ${ids(entry => entry.transcription)}`)
  terminal.line(`  voices for           ${ids(entry => entry.synthesis).slice(0, 200)}`)
  terminal.line('Ctrl-C ends it.')
  return process
}
