import { expect, it } from 'vitest'
import { ScriptedRecognizer } from '../../../src/cli/demo/scripts.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { OpenAiTranscriber } from '../../../src/service/engines/vendors/openai/openai.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

const OPTIONS = {
  model: 'script',
  languages: ['es-es'],
  format: 'verbose_json',
  streaming: false,
  pauseMs: 300,
  timeoutMs: 5_000,
} as const

it('returns the next line to the embedded service for every utterance', async () => {
  await using ears = await ScriptedRecognizer.listen(['Hola.', 'Adiós.'])
  const transcriber = new OpenAiTranscriber({ ...OPTIONS, url: ears.url }, systemClock)
  const heard: string[] = []
  const stream = await transcriber.open('es-es', {
    partial() {},
    final: ({ text }) => void heard.push(text),
    failed: error => void heard.push(error.message),
  })
  for (let utterance = 0; utterance < 2; utterance++) {
    stream.write(sine(400, 600))
    stream.write(quiet(700))
  }
  await until(() => heard.length >= 2, 10_000, 'two lines')
  expect(heard).toEqual(['Hola.', 'Adiós.'])
  await stream.close()
  await transcriber.close()
})
