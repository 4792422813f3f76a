import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../../config/load.ts'
import { ServiceClient } from '../../service/client/service-client.ts'
import { ServiceProcess } from '../../service/server/process/child.ts'
import type { ServiceConfig } from '../../service/server/service-config.ts'
import { localToken } from '../local-token.ts'
import { tryEngine } from './engine-trial.ts'
import type { ExaminedService, Surroundings } from './environment.ts'
import { knock } from './http-probe.ts'
import { probeReceiver } from './receiver-probe.ts'
import { openAccount } from './twilio-account.ts'
import { unwritable } from './unwritable.ts'

const PATIENCE_MS = 5_000
const run = promisify(execFile)

/** The real machine. */
export const thisMachine: Surroundings = {
  nodeVersion: process.versions.node,

  async loadLibrary(name) {
    try {
      const { load } = await import('koffi')
      load(name)
      return undefined
    } catch (error) {
      return error instanceof Error ? (error.message.split('\n')[0] ?? 'unknown') : String(error)
    }
  },

  async ask(command, args) {
    try {
      const { stdout } = await run(command, [...args], { timeout: PATIENCE_MS })
      return stdout.split('\n')[0] ?? ''
    } catch {
      return undefined
    }
  },

  async statusOf(url, bearer) {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const answer = await fetch(url, { headers, redirect: 'manual', signal })
      await answer.body?.cancel()
      return answer.status
    } catch {
      return undefined
    }
  },

  tryEngine,

  receiver: (url, local) => probeReceiver(url, local, PATIENCE_MS),

  async exists(path) {
    return access(path).then(
      () => true,
      () => false,
    )
  },

  unwritable,

  async fileAccess(path) {
    try {
      const [file, folder] = await Promise.all([stat(path), stat(dirname(resolve(path)))])
      const code = await access(path, constants.R_OK).then(() => undefined, codeOf)
      return { code, owner: file.uid, folderOwner: folder.uid, mode: file.mode & 0o777 }
    } catch (error) {
      const code = codeOf(error)
      return code === 'ENOENT' ? undefined : { code, owner: -1, folderOwner: -1, mode: 0 }
    }
  },

  async list(folder) {
    return await readdir(folder).catch(() => [])
  },

  async service(config) {
    const { url, apiKey = '' } = config.service
    if (url !== undefined) return examined(url, apiKey, config, async () => {})
    const key = randomBytes(18).toString('base64url')
    const settings = { ...(structuredClone(config.embedded) as ServiceConfig), port: 0, apiKeys: [key] }
    const embedded = await ServiceProcess.start(settings)
    return examined(embedded.url, key, config, () => embedded.close())
  },

  listen(host, port) {
    return new Promise(resolve => {
      const server = createServer()
      server.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
      server.listen(port, host, () => server.close(() => resolve(undefined)))
    })
  },

  twilioAccount: openAccount,

  // discord.js takes half a second to load.
  async discord(settings) {
    const { restClient } = await import('../../bridges/discord/commands/rest-client.ts')
    return restClient(settings)
  },

  async voiceParts() {
    const { voiceParts } = await import('./discord-voice.ts')
    return voiceParts()
  },

  async isDragoman(url) {
    try {
      const answer = await fetch(`${url}/health`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      // The translation service reports itself as healthy too.
      const said = (await answer.json()) as { status?: unknown; name?: unknown } | null
      return said?.status === 'ok' && said.name === 'dragoman'
    } catch {
      return false
    }
  },

  knock: order => knock({ ...order, withinMs: PATIENCE_MS }),

  async testCall(order) {
    const { placeTestCall } = await import('./test-call.ts')
    return await placeTestCall(order)
  },

  localToken: async address => (await localToken(address))?.token,
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function examined(url: string, apiKey: string, config: Config, close: () => Promise<void>): ExaminedService {
  const client = new ServiceClient({ url, apiKey, timeoutMs: PATIENCE_MS })
  const { mode } = config.service
  return {
    languages: () => client.languages(),
    voices: () => client.voices(),
    session: async (from, to) => {
      const languages = { languageIdSource: from, languageIdTarget: to }
      await using _session = await client.openSession('/sts', { ...languages, receiveAudio: { mode } })
    },
    close,
  }
}
