import fc from 'fast-check'
import { expect, test } from 'vitest'
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
