import { describe, expect, it } from 'vitest'
import {
  fieldsOf,
  Harness,
  PUBLIC_URL,
  resumeUrlIn,
  tokenIn,
  until,
} from '../../support/phone/twilio-bridge-harness.ts'

const going = (callSid: string) => ({ ...fieldsOf(callSid), CallStatus: 'in-progress' })
const pathOf = (url: string) => url.slice(PUBLIC_URL.length)

/** Sends a webhook of a call, as Twilio or a replay would; returns the response. */
async function asked(bridge: Harness, path: string, callSid = 'CA1') {
  const { body } = await bridge.post(path, going(callSid))
  return { body, token: tokenIn(body), next: pathOf(resumeUrlIn(body)) }
}

describe('a call that has a stream', () => {
  it('gets no second one when its webhook is repeated', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    for (let n = 0; n < 20; n++) {
      const { body, token } = await asked(bridge, '/twilio/voice')
      expect([token, body]).toEqual(['', expect.stringMatching(/<Response><Pause length="1"\/><Redirect/)])
    }
    party.press('1')
    await until(() => admitted.digits.length === 1)
    expect(admitted.ended).toBeUndefined()
    expect([bridge.app.twilio.deferred, bridge.app.twilio.replaced]).toEqual([20, 0])
  })

  it('gets another one, once, when Twilio reports that the stream is gone', async () => {
    await using bridge = await Harness.open()
    const voice = await bridge.post('/twilio/voice', fieldsOf('CA1'))
    const first = await bridge.stream('CA1', tokenIn(voice.body), 'MZ1')
    const gone = pathOf(resumeUrlIn(voice.body))
    const resumed = await asked(bridge, gone)
    // A redelivered request gets the same stream.
    expect((await asked(bridge, gone)).token).toBe(resumed.token)
    const second = await bridge.stream('CA1', resumed.token, 'MZ2')
    await until(() => first.admitted.ended)
    expect(first.admitted.ended).toEqual({ kind: 'replaced' })
    // Replayed: the current stream stays.
    for (let n = 0; n < 20; n++) expect((await asked(bridge, gone)).token).toBe('')
    second.party.press('1')
    await until(() => second.admitted.digits.length === 1)
    expect([bridge.app.twilio.deferred, bridge.app.twilio.replaced]).toEqual([20, 1])
    expect(bridge.log.complaints).toContainEqual(expect.stringContaining('request deferred'))
  })

  it('keeps one of two streams that would replace each other indefinitely', async () => {
    await using bridge = await Harness.open()
    // Twilio follows two documents of one call, each with a separate stream; the second arrives later.
    const one = await bridge.post('/twilio/voice', fieldsOf('CA1'))
    const two = await asked(bridge, pathOf(resumeUrlIn(one.body)))
    const first = await bridge.stream('CA1', tokenIn(one.body), 'MZ1')
    await bridge.stream('CA1', two.token, 'MZ2')
    await until(() => first.admitted.ended)
    let next = pathOf(resumeUrlIn(one.body))
    for (let n = 0; n < 30; n++) {
      // The outdated one asks for instructions, as Twilio does after a `<Connect>`.
      const answer = await asked(bridge, next)
      expect(answer.token).toBe('')
      next = answer.next
    }
    expect([bridge.app.twilio.legs.size, bridge.app.twilio.replaced, bridge.app.twilio.deferred]).toEqual([
      1, 1, 30,
    ])
  })

  it('continues with the deferred stream once its stream is gone', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    const waiting = await asked(bridge, '/twilio/voice')
    party.socket.terminate()
    await until(() => admitted.ended)
    const { token } = await asked(bridge, waiting.next)
    await bridge.stream('CA1', token, 'MZ2')
    expect(bridge.relay.admitted).toHaveLength(2)
  })
})
