import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PHONE_READINGS, placeCall, ScriptedService, tones } from '../../../simulator/index.ts'
import { JambonzSimulator } from '../../../simulator/jambonz/jambonz-simulator.ts'
import { buildApp } from '../../../src/app/app.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { AsteriskNetwork, SECRET } from '../../support/conformance/asterisk-network.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

const RATE = 8_000
const VOICE_HZ = 400
const TRANSLATED_HZ = 900
const WORDS = sine(VOICE_HZ, 800, 8_000, RATE)
const LANGUAGES = 'speaks=en-us&hears=es-es'

/** A server that translates speech into tones, for simulated phones of every carrier; without accounts. */
async function serve(settings: object = {}) {
  const service = await ScriptedService.listen({ answer: tones({ hz: () => TRANSLATED_HZ, silenceMs: 300 }) })
  onTestFinished(() => service.close())
  const app = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: { url: service.url, apiKey: service.apiKey } },
      ...{ languages: { speaks: 'en-us', hears: 'es-es' }, limits: { maxEventLoopLagMs: 60_000 } },
      ...{ twilio: { authToken: [SECRET] }, ...settings },
    },
    { ownAuthTokens: true },
  )
  onTestFinished(() => app.close())
  return { app, url: await app.listen() }
}

interface Phone {
  say(): void
  heard(): Int16Array
  hangUp(): void
  readonly ended: Promise<unknown>
}

/** All phones are connected at the same time, hear their words translated, hang up, and have left. */
async function converse(
  app: Awaited<ReturnType<typeof serve>>['app'],
  calls: readonly (readonly [name: string, call: () => Promise<Phone>])[],
) {
  const phones = await Promise.all(calls.map(async ([name, call]) => ({ name, ...(await call()) })))
  // A phone without a leg is named below.
  await until(() => app.relay.legs === phones.length, 20_000, 'a leg of each phone').catch(() => {})
  await Promise.all(phones.map(interpreted))
  for (const phone of phones) phone.hangUp()
  await Promise.all(phones.map(({ ended }) => ended))
  await until(() => app.relay.legs === 0, 20_000, 'the end of each leg')
}

/** On a busy machine, the first words can be older than live audio may be; they are said again. */
async function interpreted(phone: Phone & { readonly name: string }) {
  for (let again = 0; again < 3; again++) {
    phone.say()
    if (await until(() => hearsTranslation(phone), 12_000, phone.name).catch(() => false)) return
  }
  expect.fail(`${phone.name}: no translation was heard`)
}

function hearsTranslation(phone: Phone): boolean {
  const pcm = phone.heard()
  for (let at = 0; at + RATE / 5 <= pcm.length; at += RATE / 10)
    if (loudness(pcm.subarray(at, at + RATE / 5), TRANSLATED_HZ, RATE) > 500) return true
  return false
}

describe('a call is translated in every published form', () => {
  const calls = Object.entries(PHONE_READINGS).flatMap(([carrier, readings]) => [
    [carrier, {}, Object.entries(readings)] as const,
    ...(carrier === 'signalwire' || carrier === 'plivo'
      ? [
          [
            carrier,
            { [carrier]: { audio: 'l16-16k' } },
            Object.entries(readings).filter(([name]) => /format/.test(name)),
          ] as const,
        ]
      : []),
  ])

  test.each(calls)('of %s %j', async (carrier, settings, readings) => {
    const { app, url } = await serve(settings)
    await converse(
      app,
      readings.map(([name, profile]) => [
        name,
        async () => {
          const phone = await placeCall({
            webhook: `${url}/${carrier}/voice?${LANGUAGES}`,
            ...{ authToken: SECRET, allowInsecureStream: true, profile },
          })
          onTestFinished(async () => void (await phone.hangUp()))
          return {
            say: () => void phone.say(WORDS, RATE),
            heard: () => phone.heard(),
            hangUp: () => void phone.hangUp(),
            ended: phone.ended,
          }
        },
      ]),
    )
  })

  test('of jambonz', async () => {
    const { app, url } = await serve()
    const jambonz = await JambonzSimulator.listen({ webhookSecret: SECRET })
    onTestFinished(() => jambonz.close())
    const hooks = { callHook: `${url}/jambonz/voice?${LANGUAGES}`, statusHook: `${url}/jambonz/status` }
    const readings = ['nested metadata', 'rate as text', 'no rate', 'empty frames'] as const
    await converse(
      app,
      readings.map(reading => [
        reading,
        async () => {
          const call = jambonz.call('+15005550006', '+15005550001', { ...hooks, reading })
          const { audio, ended } = call
          return {
            say: () => audio.say(WORDS, RATE),
            heard: () => audio.heard(),
            hangUp: () => void call.hangUp(),
            ended,
          }
        },
      ]),
    )
    expect(jambonz.faults).toEqual([])
  })

  test.each(['audiosocket', 'websocket'] as const)(
    'of Asterisk by %s',
    { timeout: 120_000 },
    async stream => {
      const port = await freePort()
      const { app, url } = await serve({ asterisk: { secret: SECRET, stream, audioSocket: { port } } })
      const network = await AsteriskNetwork.open(RATE)
      onTestFinished(() => network[Symbol.asyncDispose]())
      network.audioPort = port
      network.serve(url)
      await converse(
        app,
        (['empty frames', 'late start'] as const).map(reading => [
          reading,
          async () => {
            network.simulator.reading = reading
            const phone = await network.call('+15005550006', '+15005550001')
            const wide = sine(VOICE_HZ, 800, 8_000, 16_000)
            return { ...phone, say: () => phone.say(wide) }
          },
        ]),
      )
      expect(network.simulator.faults).toEqual([])
    },
  )
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  const { port } = server.address() as { port: number }
  await new Promise(settle => server.close(settle))
  return port
}
