import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { type LegSubject, legChecks } from '../../support/conformance/leg.ts'
import { conforms } from '../../support/conformance/suite.ts'

let fakes = 0

function fake(): LegSubject {
  const make = () => new FakeLeg(`fake-${++fakes}`)
  const leg = make()
  const gone = new BridgeError('LEG_LOST', 'gone', { retryable: true })
  return {
    leg,
    another: async () => make(),
    party: {
      say: pcm => leg.say(pcm),
      press: keys => {
        for (const key of keys) leg.press(key)
      },
      listen: async () => leg.hear(),
      heard: () => ({ pcm: leg.sounded(), rate: 16_000 }),
      hangUp: () => void leg.close({ kind: 'hangup', by: 'remote' }),
      vanish: () => void leg.close({ kind: 'failed', error: gone }),
    },
    patienceMs: 100,
  }
}

conforms('a FakeLeg is a Leg', legChecks, fake, async () => {})
