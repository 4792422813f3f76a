import { expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { ObservedDialer } from '../../../src/core/calls/dialer-policies.ts'
import type { DialEnd, DialOutcome } from '../../../src/core/model/dialer.ts'
import { Observer } from '../../../src/core/model/events.ts'

const TO = '+15551230001'

test.each<[DialOutcome, DialEnd, object[]]>([
  [
    { kind: 'answered', participant: 'twilio-7' },
    'hangup',
    [
      { outcome: 'answered', participant: 'twilio-7' },
      { outcome: 'hangup', participant: 'twilio-7' },
    ],
  ],
  [{ kind: 'busy' }, 'busy', [{ outcome: 'busy' }]],
  [
    { kind: 'failed', error: new BridgeError('DIAL_FAILED', `no way to ${TO}`) },
    'failed',
    [{ outcome: 'failed', code: 'DIAL_FAILED' }],
  ],
])('observers see the outcome %o, without the number', async (outcome, end, expected) => {
  const observer = new Observer()
  const seen: unknown[] = []
  observer.on('dial', event => seen.push(event))
  const over = new Promise<DialEnd>(resolve => setImmediate(resolve, end))
  const call = { id: 'call-1', outcome: Promise.resolve(outcome), over, hangUp: async () => {} }
  const dialer = new ObservedDialer({ dial: () => call }, observer)
  expect(dialer.dial({ to: TO, invitation: { room: 'desk' } })).toBe(call)
  await over
  await Promise.resolve()
  expect(seen).toEqual(expected.map(each => ({ room: 'desk', call: 'call-1', ...each })))
  expect(JSON.stringify(seen)).not.toContain('555')
})
