import { expect, test } from 'vitest'
import { OutputPacer } from '../../../../src/bridges/discord/voice/channel-output.ts'
import { SpeakerLeg } from '../../../../src/bridges/discord/voice/speaker-leg.ts'
import { systemClock } from '../../../../src/common/clock.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { ANNA, Stage } from '../../../support/discord/voice-link-harness.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

test('a user on a network that stalls for a while loses nothing', async () => {
  await using stage = await Stage.open()
  const { link, call, counters } = stage
  await link.join()
  const anna = call.addUser(ANNA)
  const frames: Int16Array[] = []
  const leg = new SpeakerLeg({
    ...{ id: ANNA, userId: ANNA, source: link, pacer: new OutputPacer(systemClock), counters },
    log: noopLogger,
    endOfTurnSilenceMs: 200,
  })
  leg.attach({ write: frame => void frames.push(frame.slice()), marked: () => {}, dtmf: () => {} })
  await anna.joined
  await until(() => link.playable, 5_000, 'an agreement')
  const speech = anna.say(sine(600, 1_500))
  await until(() => frames.length > 20, 5_000, 'speech')
  call.faults.toBot.stall(400)
  await speech
  const loud = () => frames.filter(frame => loudness(frame, 600, 16_000) > 3_000).length
  await until(() => loud() >= 73, 5_000, 'all of it')
  expect(counters).toMatchObject({ lost: 0, flooded: 0 })
})
