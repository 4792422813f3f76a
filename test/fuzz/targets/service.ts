import { isAccepted } from '../../../src/service/client/acknowledgment.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import { readResult } from '../../../src/service/client/result-reader.ts'
import { transcriptOf } from '../../../src/service/engines/vendors/openai/openai.ts'
import { type FuzzTarget, must, texts } from '../target.ts'

const results: FuzzTarget = {
  name: 'service events and results',
  seeds: texts(
    '{"id":"1","final":true,"languageIdSource":"en-us","text":"hello","startMs":0,"endMs":900,"translation":"hola","file":{"data":"\u0001x","codec":"mp3","sampleRate":16000}}',
    '{"utteranceId":7,"isFinal":false,"transcript":"a","translated":"b","audio":{"data":"\u0001"}}',
    '{"code":"bad_file","error":"language_not_detected","description":"no"}',
    'true',
    '[]',
    'null',
  ),
  words: [
    '"id":',
    '"final":',
    '"endMs":',
    '"\u0001',
    '-1',
    '1e999',
    'null',
    '[]',
    '__proto__',
    'constructor',
    '{"data":',
  ],
  run(input) {
    let payload: unknown
    try {
      // Texts that start with \u0001 represent binary data, as the socket delivers it.
      payload = JSON.parse(input.toString(), (_key, value: unknown) =>
        typeof value === 'string' && value.startsWith('\u0001') ? Buffer.from(value) : value,
      )
    } catch {
      return
    }
    const result = readResult(payload, '0')
    must(result.utterance.length >= 1 && result.utterance.length <= 64, 'an utterance has a short name')
    must(typeof result.final === 'boolean', 'final or not')
    for (const text of [result.text, result.translation])
      must(text === undefined || (typeof text === 'string' && text.length <= 4_000), 'texts have a bound')
    must(result.audio === undefined || result.audio instanceof Uint8Array, 'a voice is bytes')
    must(
      result.endMs === undefined || (Number.isFinite(result.endMs) && result.endMs >= 0),
      'times do not go back',
    )
    must(typeof ServiceClientError.told(payload).retryable === 'boolean', 'an error has a code')
    must(
      isAccepted([payload]) === (payload !== false) || typeof payload === 'object',
      'only false and errors refuse',
    )
    must(Object.keys(Object.prototype).length === 0, 'the prototype is unchanged')
  },
}

const transcription: FuzzTarget = {
  name: 'replies of transcription servers',
  seeds: texts(
    '{"text":"hello","segments":[{"text":"hello","no_speech_prob":0.1}]}',
    '{"type":"transcript.text.delta","delta":"a"}',
  ),
  words: ['"text":', '"segments":', '"delta":', 'null', '[]', '__proto__'],
  run(input) {
    let reply: unknown
    try {
      reply = JSON.parse(input.toString())
    } catch {
      return
    }
    try {
      must(typeof transcriptOf(reply) === 'string', 'a text')
    } catch (error) {
      must(error instanceof Error && error.name !== 'TypeError', `an unexpected error: ${error}`)
    }
  },
}

export const SERVICE: readonly FuzzTarget[] = [results, transcription]
