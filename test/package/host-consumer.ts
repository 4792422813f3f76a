/** A strict external program with bridges in its app: it compiles with any copy of Fastify. */
export const HOST_TYPES = `
import Fastify from 'fastify'
import { Relay, relayOptions, type Config, type Admission } from 'dragoman'
import { ServiceTranslator } from 'dragoman/service'
import browserBridge, { type BrowserBridgeOptions } from 'dragoman/browser'
import type { CarrierBridge } from 'dragoman/telephony'
import twilioBridge, { type TwilioBridgeOptions } from 'dragoman/twilio'
import { FRAME_SAMPLES } from 'dragoman/transcode'

const relay = new Relay({ translator: new ServiceTranslator({ url: 'http://localhost', apiKey: 'key' }), options: relayOptions() })
const app = Fastify({ logger: true })
const admission: Admission = relay

async function start(): Promise<void> {
  await app.register(twilioBridge, {
    relay: admission,
    prefix: '/calls',
    publicUrl: 'https://host.example',
    authTokens: ['token'],
    invite: call => ({ room: call.callId, speaks: 'en-us', hears: 'es-es' }),
  })
  await app.register(browserBridge, {
    relay,
    log: app.log,
    languages: { speaks: 'en-us', hears: 'es-es' },
    offer: async () => ({ languages: [], voices: [] }),
    settings: { access: 'anyone' },
  })
  // @ts-expect-error: relay and invite are missing
  await app.register(twilioBridge, { publicUrl: 'https://host.example', authTokens: ['token'] })
  const options: TwilioBridgeOptions = {
    relay,
    invite: () => ({ refused: 'busy' }),
    // @ts-expect-error: that is publicUrl
    publicURL: 'https://host.example',
  }
  const more: Partial<BrowserBridgeOptions> = { path: '/interpreter' }
  // @ts-expect-error: a number, not any
  const wrong: string = FRAME_SAMPLES
  void [options, more, wrong]
}

export function legs(bridge: CarrierBridge): number {
  return bridge.legs.size
}
export type { Config }
export { start }
`
/** If the app has the same copy of Fastify, the bridges' decorations have types. */
export const DECORATED = `
import type { FastifyInstance } from 'fastify'
import 'dragoman/twilio'
import 'dragoman/browser'

export const figures = (app: FastifyInstance): number => app.twilio.legs.size + app.browser.sessions
`
