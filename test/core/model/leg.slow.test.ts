import Fastify from 'fastify'
import { placeCall } from '../../../simulator/index.ts'
import browserBridge from '../../../src/bridges/browser/index.ts'
import twilioBridge from '../../../src/bridges/phone/twilio/index.ts'
import { Observer } from '../../../src/core/model/events.ts'
import type { Leg } from '../../../src/core/model/leg.ts'
import { Talker } from '../../support/browser/page-client.ts'
import { type LegSubject, legChecks } from '../../support/conformance/leg.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { pause, until } from '../../support/until.ts'

/** A real bridge on a real socket, called by the simulated phone, which hears in real time. */
async function telephone(): Promise<LegSubject & { close(): Promise<void> }> {
  const legs: Leg[] = []
  const app = Fastify({ forceCloseConnections: true })
  const relay = { admit: (leg: Leg) => void legs.push(leg) }
  await app.register(twilioBridge, { relay, insecure: true, invite: () => ({ room: 'r' }) })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const dial = async () => {
    const count = legs.length
    const call = await placeCall({ webhook: `${address}/twilio/voice`, allowInsecureStream: true })
    return { call, leg: await until(() => legs[count], 5_000, 'a leg') }
  }
  const { call, leg } = await dial()
  return {
    leg,
    another: async () => (await dial()).leg,
    party: {
      say: pcm => void call.say(pcm, 16_000),
      press: keys => call.press(keys),
      listen: ms => pause(ms + 150),
      heard: () => ({ pcm: call.heard(), rate: 8_000 }),
      hangUp: () => void call.hangUp(),
      vanish: () => void call.vanish(),
    },
    patienceMs: 5_000,
    async close() {
      await call.hangUp()
      await app.close()
    },
  }
}

conforms('a TwilioLeg is a Leg', legChecks, telephone, subject => subject.close())

/** A page without a browser, on a real socket; played audio counts as heard after its duration. */
async function browser(): Promise<LegSubject & { close(): Promise<void> }> {
  const legs: Leg[] = []
  const app = Fastify({ forceCloseConnections: true })
  const relay = {
    admit: (leg: Leg) => void legs.push(leg),
    ...{ observer: new Observer(), rooms: new Map(), find: () => undefined },
  }
  const languages = { speaks: 'en-us', hears: 'es-es' }
  await app.register(browserBridge, { relay, languages, offer: () => Promise.reject(new Error('none')) })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = async () => {
    const count = legs.length
    const talker = await Talker.open(address)
    talker.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es' })
    return { talker, leg: await until(() => legs[count], 5_000, 'a leg') }
  }
  const { talker, leg } = await open()
  return {
    leg,
    another: async () => (await open()).leg,
    party: {
      say: pcm => talker.say(pcm),
      press: keys => {
        for (const digit of keys) talker.send({ kind: 'key', digit })
      },
      listen: ms => pause(ms + 150),
      heard: () => ({ pcm: talker.pcm, rate: 16_000 }),
      hangUp: () => talker.send({ kind: 'bye' }),
      vanish: () => talker.socket.terminate(),
    },
    patienceMs: 5_000,
    async close() {
      talker.socket.terminate()
      await app.close()
    },
  }
}

conforms('a BrowserLeg is a Leg', legChecks, browser, subject => subject.close())
