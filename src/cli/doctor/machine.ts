import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { carrierApi } from '../../app/carriers.ts'
import { voiceSettingsOf } from '../../bridges/phone/rest/numbers.ts'
import { carrierError } from '../../bridges/phone/twilio/rest.ts'
import { restClient } from '../../bridges/phone/twilio/rest-client.ts'
import type { RestSettings } from '../../bridges/phone/twilio/settings.ts'
import type { Config } from '../../config/load.ts'
import { isWrittenLocal, PrivateAddressError, publicLookup } from '../../net/outbound-guard.ts'
import { ServiceClient } from '../../service/client/service-client.ts'
import { ServiceProcess } from '../../service/server/process/service-process.ts'
import type { ServiceConfig } from '../../service/server/settings.ts'
import { testEngine } from '../engines/engine-test.ts'
import { localToken } from '../local-token.ts'
import { sampleSentence } from '../sample-audio.ts'
import type { DoctorEnvironment, ExaminedService, ReceiverAnswer } from './environment.ts'
import { probeHttp } from './http-probe.ts'
import { loadModel } from './model-checks.ts'
import type { ExaminedAccount } from './twilio-checks.ts'

/** Probes a receiver like webhooks do, without sending an event: no redirects, no names with private addresses. */
export function probeReceiver(address: string, local: boolean, withinMs: number): Promise<ReceiverAnswer> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const lookup = publicLookup(local || isWrittenLocal(url))
  const signal = AbortSignal.timeout(withinMs)
  return new Promise(resolve => {
    const sent = request(url, { method: 'HEAD', lookup, signal, agent: false }, response => {
      resolve(response.statusCode)
      response.destroy()
    })
    sent.on('error', error => resolve(error instanceof PrivateAddressError ? 'local' : undefined))
    sent.end()
  })
}

/** Opens the account of `twilio.outbound` with Twilio’s client; undefined if it is not set. */
export async function openAccount(config: Config): Promise<ExaminedAccount | undefined> {
  const { outbound } = config.twilio
  if (!outbound) return undefined
  const settings: RestSettings = { ...outbound, authToken: outbound.authToken ?? config.twilio.authTokens[0] }
  const client = await restClient(settings)
  return {
    account: () => answered(client.api.v2010.accounts(outbound.accountSid).fetch()),
    async number(phoneNumber) {
      const found = await answered(client.incomingPhoneNumbers.list({ phoneNumber, limit: 2 }))
      const number = found.find(each => each.phoneNumber === phoneNumber)
      return number && voiceSettingsOf(number)
    },
    async callable(country) {
      const permissions = await answered(client.voice.v1.dialingPermissions.countries(country).fetch())
      return permissions.lowRiskNumbersEnabled
    },
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw carrierError(error)
  }
}

/**
 * Returns the error code of a write into a folder, creating the folder if necessary; undefined on success. All test
 * files are removed. Only a real write considers permissions, quotas and file systems.
 */
export async function unwritable(folder: string): Promise<string | undefined> {
  const made: string[] = []
  try {
    // One by one: `recursive` never returns on file systems that report their own folders as missing.
    for (const path of await missing(folder)) {
      await mkdir(path, { mode: 0o700 })
      made.unshift(path)
    }
    await rmdir(await mkdtemp(join(folder, '.doctor-')))
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    // Only empty folders are removed: another program has possibly started to write there.
    for (const path of made) await rmdir(path).catch(() => {})
  }
}

/** Returns the missing folders of a path, outermost first. */
async function missing(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (there) break
    paths.unshift(path)
  }
  return paths
}

const PATIENCE_MS = 5_000
/** For one sentence through an engine, in addition to its duration. */
const SENTENCE_MS = 20_000
const run = promisify(execFile)

/** The real machine. */
export const localEnvironment: DoctorEnvironment = {
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

  async modelsAt(url, bearer) {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const answer = await fetch(`${url}/v1/models`, { headers, redirect: 'manual', signal })
      return answer.ok ? await answer.json() : undefined
    } catch {
      return undefined
    }
  },

  async testEngine(engine) {
    const { language, text, pcm } = await sampleSentence()
    const sentence = { language, text, pcm, transcribed: true }
    return await testEngine(engine, {
      sentence,
      to: 'es-es',
      live: true,
      anyLanguage: true,
      limitMs: SENTENCE_MS,
    })
  },
  loadModel,

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

  async fleet({ fleet: settings }) {
    const [{ openFleet }, { systemClock }, { noopLogger }] = await Promise.all([
      import('../../app/fleet.ts'),
      import('../../common/clock.ts'),
      import('../../common/log.ts'),
    ])
    await using fleet = await openFleet(settings, { clock: systemClock, log: noopLogger })
    // Two heartbeats of the others.
    await new Promise(resolve => setTimeout(resolve, 1_200))
    const nodes = fleet.nodes.map(({ node }) => node).filter(node => node !== fleet.node)
    return { up: fleet.status === 'up', nodes }
  },

  listen(host, port) {
    return new Promise(resolve => {
      const server = createServer()
      server.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
      server.listen(port, host, () => server.close(() => resolve(undefined)))
    })
  },

  twilioAccount: openAccount,
  carrierApi,

  // discord.js takes half a second to load.
  async discord(settings) {
    const { restClient } = await import('../../bridges/discord/commands/rest.ts')
    return restClient(settings)
  },

  async voiceParts() {
    const { voiceOptions } = await import('./discord-voice.ts')
    return voiceOptions()
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

  probe: order => probeHttp({ ...order, withinMs: PATIENCE_MS }),

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
  const { mode, socketPath } = config.service
  const client = new ServiceClient({ url, apiKey, socketPath })
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
