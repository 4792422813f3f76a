import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/common/clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import { Cascade, type CascadeSink } from '../../../../src/service/engines/interpret/cascade.ts'
import { InterpretationFigures } from '../../../../src/service/engines/interpret/interpretation-figures.ts'
import { openEngines } from '../../../../src/service/engines/open-engines.ts'
import { ThreadUse } from '../../../../src/service/engines/thread-budget.ts'
import { EngineUsage } from '../../../../src/service/engines/usage/engine-usage.ts'
import { serviceSettings } from '../../../../src/service/server/settings.ts'
import { durationMs, FRAME_SAMPLES } from '../../../../src/transcode/pcm.ts'
import { joined, recording } from '../../../support/engines/recordings.ts'

test('the offline engines speak the first clauses of fifteen seconds of speech before it ends', async () => {
  // Time is the position in the speech, which goes on as soon as the recognizer has taken it: on any machine the same.
  let positionMs = 0
  const clock: Clock = { now: () => positionMs, at: () => ({ [Symbol.dispose]() {} }) }
  const engines = await openEngines(serviceSettings({ apiKeys: ['test'] }), new ThreadUse(systemClock), {
    ...{ clock, wallClock: systemWallClock, log: noopLogger, usage: new EngineUsage() },
  })
  const said = joined(recording(3), recording(4), recording(5))
  expect(durationMs(said.length)).toBeGreaterThan(14_000)
  const committedAt: number[] = []
  let spokenMs = 0
  let open = 0
  const sink: CascadeSink = {
    partial() {},
    final() {},
    audio: (_, pcm, rate) => {
      spokenMs += (pcm.length / rate) * 1_000
    },
    spoken() {},
    room: () => undefined,
    fault: (_utterance, _kind, cause) => {
      throw cause
    },
    failed: cause => {
      throw cause
    },
  }
  const translator = engines.translator('en-us', 'es-es')!
  const cascade = new Cascade({
    ...{ from: 'en-us', to: 'es-es', mode: 'clause', clock, figures: new InterpretationFigures() },
    recognizer: engines.recognizer('en-us')!,
    translator: {
      ...{ name: translator.name, targets: from => translator.targets(from), prepare() {}, async close() {} },
      async translate(text, from, to) {
        committedAt.push(positionMs)
        open++
        return translator.translate(text, from, to).finally(() => open--)
      },
    },
    voice: engines.voice('es-es')!,
  })
  const stream = await cascade.open({}, sink)
  for (let at = 0; at < said.length; at += FRAME_SAMPLES) {
    stream.write(said.subarray(at, at + FRAME_SAMPLES))
    positionMs += durationMs(FRAME_SAMPLES)
    // The speaker does not run ahead of the translator either.
    while (stream.queuedMs > 40 || open > 0) await new Promise(resolve => setTimeout(resolve, 1))
  }
  const beforeEndMs = spokenMs
  await stream.close()
  await engines.close()
  expect(committedAt[0]).toBeLessThan(5_000)
  expect(committedAt.length).toBeGreaterThan(3)
  expect(beforeEndMs).toBeGreaterThan(2_000)
})
