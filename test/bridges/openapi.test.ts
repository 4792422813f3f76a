import swagger from '@fastify/swagger'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import browserBridge from '../../src/bridges/browser/index.ts'
import twilioBridge, { sign } from '../../src/bridges/phone/twilio/index.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { FakeAnnouncer } from '../support/relay/fake-announcer.ts'

it('a host’s OpenAPI document has the routes of the bridges, in any schema language', async () => {
  const app = Fastify()
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Host', version: '1' } } })
  // Like type providers: anything that is not one of their schemas is an error.
  app.setValidatorCompiler(() => {
    throw new Error('no schema of the host')
  })
  app.setSerializerCompiler(() => {
    throw new Error('no schema of the host')
  })
  const relay = new Relay({ translator: new FakeTranslator(), options: relayOptions() })
  await app.register(twilioBridge, {
    ...{ relay, invite: () => ({ room: 'r' }), prefix: '/calls', announcer: new FakeAnnouncer() },
    ...{ publicUrl: 'https://a.example', authTokens: ['t'] },
  })
  await app.register(browserBridge, {
    ...{ relay, prefix: '/calls', languages: { speaks: 'en-us', hears: 'es-es' } },
    offer: async () => ({ languages: [], voices: [] }),
  })
  await app.ready()
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, { summary: string; tags: string[] }>>
  }
  expect(Object.keys(document.paths).sort()).toEqual([
    '/calls/listen',
    '/calls/talk',
    '/calls/talk/languages',
    ...['dial/answer', 'dial/machine', 'dial/status', 'menu'].map(name => `/calls/twilio/${name}`),
    '/calls/twilio/menu/sound/{signature}/{notice}/{language}.wav',
    ...['resume', 'status', 'voice'].map(name => `/calls/twilio/${name}`),
  ])
  for (const operations of Object.values(document.paths))
    for (const { summary, tags } of Object.values(operations))
      expect([summary?.length > 10, tags?.length], JSON.stringify(operations)).toEqual([true, 1])
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })

  // The schemas only describe: requests and responses of the bridge are unchanged.
  const fields = { CallSid: 'CA1', From: '+15005550006', Unknown: 'field' }
  const post = (payload: string, signed: Record<string, string>) =>
    app.inject({
      ...{ method: 'POST', url: '/calls/twilio/voice', payload },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': sign('t', 'https://a.example/calls/twilio/voice', signed),
      },
    })
  const answer = await post(String(new URLSearchParams(fields)), fields)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8'])
  expect(answer.body).toContain('<Stream url="wss://a.example/calls/twilio/media">')
  expect((await post('', {})).statusCode).toBe(400)
  expect((await app.inject('/calls/talk/languages')).json()).toMatchObject({ languages: [], voices: [] })
  await app.close()
})
