import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/common/clock.ts'
import type { StsResult } from '../../../src/service/contract.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { SherpaRecognizer } from '../../../src/service/engines/local/sherpa/sherpa-recognizer.ts'
import { SherpaSynthesizer } from '../../../src/service/engines/local/sherpa/sherpa-synthesizer.ts'
import { buildService, type Service } from '../../../src/service/server/service.ts'
import { decodeSpeech } from '../../../src/transcode/speech-decoder.ts'
import { FakeTranslator } from '../../support/engines/fake-engines.ts'
import { joined } from '../../support/engines/recordings.ts'
import {
  HAS_SHERPA,
  HeardTones,
  onceRestarted,
  recognition,
  type ToneModels,
  voice,
  writeToneModels,
} from '../../support/engines/sherpa/tone-engines.ts'
import { tones } from '../../support/engines/sherpa/tone-words.ts'
import { NEVER_LATE, NEVER_OVERLOADED } from '../../support/service/no-lag.ts'
import { KEY, mp3Of, speak } from '../../support/service/real-service.ts'
import { query, RECEIVE, TestClient } from '../../support/service/test-client.ts'
import { quiet } from '../../support/transcode/tone.ts'

let models: ToneModels
let recognizer: SherpaRecognizer
let service: Service
let url: string

beforeAll(async () => {
  models = await writeToneModels()
  if (!HAS_SHERPA) return
  recognizer = await SherpaRecognizer.create(
    recognition({ model: models.transducer, vad: models.vad }),
    systemClock,
  )
  const synthesizer = await SherpaSynthesizer.create(
    voice({ model: models.vits, languages: ['es-es'] }),
    systemClock,
  )
  const engines = new EngineSet({
    speechToText: [recognizer],
    translators: [new FakeTranslator()],
    synthesizers: [synthesizer],
  })
  service = await buildService({ apiKeys: [KEY], ...NEVER_LATE }, { engines, limits: NEVER_OVERLOADED })
  url = (await service.listen()).url
})
afterAll(async () => {
  await service?.close()
  await models[Symbol.asyncDispose]()
})

async function session() {
  const client = new TestClient(`${url}/sts`, KEY, query({ receiveAudio: { ...RECEIVE, mode: 'streaming' } }))
  await client.until('start')
  return client
}

/** Recognizes the audio of an mp3. */
async function understood(mp3: Uint8Array): Promise<string> {
  const pcm = await decodeSpeech(mp3, 60)
  const heard = new HeardTones()
  const stream = await recognizer.open('en-us', heard)
  stream.write(joined(quiet(300), pcm, quiet(1_500)))
  const [final] = await heard.until(1)
  await stream.close()
  return final!.text
}

describe.skipIf(!HAS_SHERPA)('/sts with sherpa-onnx', () => {
  test('recognizes, translates and speaks, one sentence after the other', async () => {
    const client = await session()
    const talk = joined(quiet(300), tones('two four'), quiet(1_000), tones('seven one eight'), quiet(1_500))
    await speak(client, talk)
    await client.until('endSynth', 2)
    const finals = client.payloads<StsResult>('result').filter(({ final }) => final)
    const texts = new Map(finals.map(({ id, text, translation }) => [id, [text, translation]]))
    expect([...texts.values()]).toEqual([
      // The scripted translator loses the figures, which captions therefore repeat.
      ['two four', 'TWO FOUR [two, four]'],
      ['seven one eight', 'SEVEN ONE EIGHT [seven, eight]'],
    ])
    expect(await understood(mp3Of(client, '1'))).toBe('two four')
    expect(await understood(mp3Of(client, '2'))).toBe('seven one eight')
    client.close()
  })

  test('ends a session whose process is killed; the next session works', async () => {
    const cut = await session()
    await speak(cut, tones('one two three four'))
    process.kill(recognizer.pids[0]!, 'SIGKILL')
    await cut.until('disconnect')
    const [error] = cut.payloads<{ error: string }>('error')
    expect(error?.error).toBe('transcription_failed')
    const probe = await onceRestarted(() => recognizer.open('en-us', new HeardTones()))
    await probe.close()
    const next = await session()
    await speak(next, joined(quiet(300), tones('five six'), quiet(1_500)))
    await next.until('endSynth')
    expect(next.payloads<StsResult>('result').at(-1)?.text).toBe('five six')
    next.close()
  })
})
