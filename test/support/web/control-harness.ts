import Fastify, { type FastifyPluginAsync } from 'fastify'
import { onTestFinished } from 'vitest'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { serverOptions } from '../../../src/app/server.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'
import type { Sound } from '../../../src/core/model/announcer.ts'
import type { Fleet } from '../../../src/core/model/fleet.ts'
import { BearerKeys } from '../../../src/web/control/auth.ts'
import { controlApi } from '../../../src/web/control/control-api.ts'
import { openControlContext } from '../../../src/web/control/open-context.ts'
import { controlSettingsSchema } from '../../../src/web/control/settings.ts'
import { transcriptSettingsSchema } from '../../../src/web/transcripts/settings.ts'
import { LogLines } from '../log-lines.ts'
import { FakeAnnouncer } from '../relay/fake-announcer.ts'
import { rooms } from '../relay/rooms.ts'
import { sine } from '../transcode/tone.ts'
import { FakeDialer } from './fake-control-dialer.ts'
import { FakeRecorder } from './fake-recorder.ts'

export const KEY = 'a-key-that-nobody-would-guess'
export const OTHER_KEY = 'another-key-that-nobody-knows'
/** 2026-11-20T10:00:00Z, when the clock shows 1,000 ms. */
const EPOCH = Date.UTC(2026, 10, 20, 10) - 1_000
export const JINGLE_HZ = 2_900

/** Speaks every text as the tone of its language, for 600 ms. */
export class ToneAnnouncer extends FakeAnnouncer {
  override async say(text = '', _from: LanguageId = '', to: LanguageId = ''): Promise<Sound> {
    this.asked.push(`say ${to}`)
    if (text === 'never') return await new Promise(() => {})
    if (to.startsWith('xx') || text === 'unspeakable')
      throw new BridgeError('SPEECH_UNAVAILABLE', 'no voice', { retryable: true })
    return { name: `words ${to}`, pcm: sine(toneOf(to), 600), text: `${to}: ${text}` }
  }

  override async file(name: string): Promise<Sound> {
    if (name === 'broken') throw new Error('damaged')
    if (name !== 'jingle') throw new BridgeError('CONFIG', `no sound "${name}"`)
    return { name: 'file jingle', pcm: sine(JINGLE_HZ, 2_000) }
  }
}

export interface Wishes {
  readonly control?: object
  readonly transcripts?: object
  /** Without announcer, dialer or recorder. */
  readonly bare?: boolean
  /** Default: alone. */
  readonly fleet?: Fleet
  readonly groupOf?: (address: string) => string | undefined
  /** Wrong keys per address and minute. */
  readonly maxAttemptsPerMinute?: number
  /** Per key. */
  readonly requestsPerMinute?: number
  /** Next to the API, like pages that use it. */
  readonly plugins?: readonly FastifyPluginAsync[]
}

/** The control API on a real server, with a relay on a fake clock. */
export async function controlled({
  control = {},
  transcripts = {},
  bare = false,
  plugins = [],
  groupOf,
  fleet,
  maxAttemptsPerMinute,
  requestsPerMinute,
}: Wishes = {}) {
  const talk = await rooms()
  const { clock, relay } = talk
  const log = new LogLines()
  const wall = () => Math.floor(EPOCH + clock.now())
  const codes = new RoomCodes(clock, { state: fleet && { fleet, wall } })
  const announcer = new ToneAnnouncer()
  const dialer = new FakeDialer()
  const recorder = new FakeRecorder()
  const open = await openControlContext({
    relay,
    codes,
    ...(bare ? {} : { announcer, dialer, recorder }),
    transcripts: transcriptSettingsSchema.parse(transcripts),
    webhooks: [],
    readersPerLink: controlSettingsSchema.parse(control).readersPerLink,
    groupOf,
    fleet,
    clock,
    wall,
    log,
  })
  const settings = controlSettingsSchema.parse({
    keys: [
      { name: 'desk', key: KEY },
      { name: 'other', key: OTHER_KEY },
    ],
    ...control,
  })
  const server = Fastify({ forceCloseConnections: true, ...serverOptions() })
  await server.register(controlApi, {
    prefix: '/v1',
    context: open.services,
    settings,
    keys: new BearerKeys(settings, clock, { maxAttemptsPerMinute, requestsPerMinute }),
  })
  for (const plugin of plugins) await server.register(plugin)
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await relay.close()
    await open[Symbol.asyncDispose]()
    await server.close()
  })

  /** Sends a request with a key; `path` is under `/v1`. */
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json')
    // Of any type: the test knows the response’s shape.
    const answer = json ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, body: answer }
  }
  return { ...talk, log, wall, codes, announcer, dialer, recorder, ...open, server, url, ask }
}
