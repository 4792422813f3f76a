import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { ServiceError } from '../../../src/service/server/errors.ts'
import {
  receiveAudioOf,
  sendAudioOf,
  stsParameters,
  translatorParameters,
  ttsParameters,
} from '../../../src/service/server/session/parameters.ts'
import { chooseVoice } from '../../../src/service/server/voice-catalog.ts'
import { fakeEngines } from '../../support/engines/fake-engines.ts'
import { fakeService } from '../../support/service/fake-service.ts'

const { set } = fakeEngines()
const text = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constantFrom('en-us', 'es-es', '{"sampleRate":16000}', '{"mode":"block"}', '{"__proto__":1}', 'null'),
)
const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.constant(undefined))
const query = fc.record({
  languageIdSource: value,
  languageIdTarget: value,
  sendAudio: value,
  receiveAudio: value,
  partials: value,
  voiceId: value,
  voiceGender: value,
  voiceEngine: value,
})

test('accepts any query or rejects it with an error of the table', () => {
  fc.assert(
    fc.property(query, parameters => {
      for (const read of [
        sendAudioOf,
        receiveAudioOf,
        (each: typeof parameters) => stsParameters(each, set),
        (each: typeof parameters) => translatorParameters(each, set),
        (each: typeof parameters) => chooseVoice(ttsParameters(each, set), set),
      ]) {
        try {
          read(parameters)
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError)
          expect((error as ServiceError).message).not.toMatch(/\p{Cc}/u)
          expect((error as ServiceError).message.length).toBeLessThan(400)
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('answers each fragment of arbitrary data, and serves the next client', async () => {
  const { ready } = await fakeService({ maxBadFragments: 1_000_000, maxSessions: 2 })
  const { client, stream } = await ready('/stt')
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
    fc.anything({ maxDepth: 2 }).filter(each => typeof each !== 'function' && typeof each !== 'bigint'),
  )
  await fc.assert(
    fc.asyncProperty(payload, async sent => {
      const before = stream.samples
      const taken = await client.send(sent)
      if (!Buffer.isBuffer(sent)) return
      expect(taken).toBe(sent.length % 2 === 0)
      expect(stream.samples - before).toBe(taken ? sent.length / 2 : 0)
    }),
    { numRuns: 300 },
  )
  for (const body of client.payloads<ServiceErrorBody>('error')) expect(body.code).toBe('bad_audio')
  await ready('/sts')
})

test('answers arbitrary text once, with a result or an error', async () => {
  const { ready } = await fakeService({ maxBadFragments: 1_000_000, maxSessions: 2 })
  for (const namespace of ['/translator', '/tts']) {
    const { client } = await ready(namespace)
    const payload = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.anything({ maxDepth: 2 }).filter(each => typeof each !== 'function' && typeof each !== 'bigint'),
    )
    let taken = 0
    await fc.assert(
      fc.asyncProperty(payload, async sent => {
        const ack = await client.sendText(sent)
        if (typeof sent !== 'string') expect(ack).toBe(false)
        if (ack === true) taken++
        else expect(ack).toBe(false)
      }),
      { numRuns: 300 },
    )
    expect(taken).toBeGreaterThan(50)
    await client.until(namespace === '/tts' ? 'endSynth' : 'result', taken)
    const known = ['bad_text', 'engine_failed']
    for (const body of client.payloads<ServiceErrorBody>('error')) expect(known).toContain(body.code)
    expect(await client.sendText('good')).toBe(true)
  }
})
