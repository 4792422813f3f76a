import { describe } from 'vitest'
import { failsFor } from '../../support/conformance/fails-for.ts'
import { legChecks } from '../../support/conformance/leg.ts'
import { conforms } from '../../support/conformance/suite.ts'
import { fakeSubject } from '../../support/conformance/toy-leg.ts'

conforms('a FakeLeg is a Leg', legChecks, fakeSubject, async () => {})

describe('the suite for legs', () => {
  failsFor(legChecks, fakeSubject, [
    ['shares its name', () => fakeSubject({ sameId: true }), 'has a unique id and the id of its channel'],
    [
      'cuts frames in halves',
      () => fakeSubject({ halfFrames: true }),
      'delivers the participant’s speech, complete, in frames of 20 ms',
    ],
    ['loses keys', () => fakeSubject({ deafToKeys: true }), 'delivers pressed keys'],
    [
      'keeps borrowed memory',
      () => fakeSubject({ keepsMemory: true }),
      'plays everything in order and copies its input',
    ],
    [
      'marks too early',
      () => fakeSubject({ marksEarly: true }),
      'reports a mark once all audio before it has been played, and not earlier',
    ],
    [
      'reports flushed marks as played',
      () => fakeSubject({ marksFlushed: true }),
      'drops unheard audio when it is flushed, and never reports its marks',
    ],
    [
      'fails to flush while empty',
      () => fakeSubject({ needsSomethingToFlush: true }),
      'can be flushed while empty',
    ],
    [
      'is always congested',
      () => fakeSubject({ alwaysCongested: true }),
      'is not congested while the peer reads',
    ],
    [
      'ends for the last reason',
      () => fakeSubject({ lastReasonWins: true }),
      'ends for the first reason; close can be called again and waits',
    ],
    [
      'does not notice a hang-up',
      () => fakeSubject({ ignoresHangUp: true }),
      'ends when the participant hangs up',
    ],
    [
      'rejects when its peer disappears',
      () => fakeSubject({ rejects: true }),
      'ends as failed when the peer disappears without closing',
    ],
    [
      'continues after its end',
      () => fakeSubject({ livesOn: true }),
      'delivers and plays nothing after its end, without an error',
    ],
  ])
})
