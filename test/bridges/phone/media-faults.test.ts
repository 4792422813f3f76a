import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { Harness, SILENCE, until } from '../../support/phone/twilio-bridge-harness.ts'

const settled = () => new Promise(resolve => setTimeout(resolve, 50))

test('accepts a stream without `connected`', async () => {
  await using bridge = await Harness.open()
  const party = await bridge.dial()
  party.start({ callSid: 'CA1', token: await bridge.ring('CA1') })
  for (let n = 0; n < 5; n++) party.media()
  await until(() => bridge.relay.admitted[0]?.frames.length === 5)
})

test('ignores a second start, a second stop and everything after it', async () => {
  await using bridge = await Harness.open()
  const { party, admitted } = await bridge.call('CA1')
  party.media()
  party.start({ callSid: 'CA1', streamSid: party.streamSid })
  party.media()
  await until(() => admitted.frames.length === 2)
  party.stop()
  party.stop()
  party.media()
  await until(() => admitted.ended)
  await settled()
  expect(admitted.ended).toEqual({ kind: 'hangup', by: 'remote' })
  expect(admitted.frames).toHaveLength(2)
  expect(bridge.app.twilio.counters()).toMatchObject({ ignored: 1 })
})

test('waits for a stream that closed without stop as for one that was stopped', async () => {
  const clock = new FakeClock()
  await using bridge = await Harness.open({ clock, limits: { stoppedMs: 2_000 } })
  const { party, admitted } = await bridge.call('CA1')
  party.socket.close(1000)
  await party.closed
  await settled()
  expect(admitted.ended).toBeUndefined()
  const again = await bridge.again('CA1', 'MZ2')
  expect(admitted.ended).toMatchObject({ kind: 'failed', error: { retryable: true } })
  again.party.socket.close(1000)
  await again.party.closed
  await settled()
  clock.advance(2_000)
  await until(() => again.admitted.ended)
  expect(again.admitted.ended).toEqual({ kind: 'hangup', by: 'remote' })
})

test('ignores unknown marks, and floods of them', async () => {
  await using bridge = await Harness.open()
  const { party, admitted } = await bridge.call('CA1')
  admitted.leg.mark('one')
  const sent = await until(() => party.received.find(({ event }) => event === 'mark'))
  for (const name of ['', 'two', sent.mark?.name ?? '', sent.mark?.name ?? '', '__proto__']) party.mark(name)
  party.media()
  await until(() => admitted.frames.length === 1)
  expect(admitted.marks).toEqual(['one'])
})

test('accepts 500 streams at once', async () => {
  // The clock does not move: on a busy machine, no stream is late, and none is filled with silence.
  await using bridge = await Harness.open({ clock: new FakeClock() })
  const callSids = Array.from({ length: 500 }, (_, n) => `CA${n}`)
  const tokens = new Map<string, string>()
  for (const callSid of callSids) tokens.set(callSid, await bridge.ring(callSid))
  await Promise.all(
    callSids.map(async callSid => {
      const party = await bridge.dial()
      party.connected()
      party.start({ callSid, streamSid: `MZ${callSid}`, token: tokens.get(callSid) ?? '' })
      party.media(SILENCE)
    }),
  )
  await until(() => bridge.relay.admitted.filter(({ frames }) => frames.length === 1).length === 500, 60_000)
  expect([...bridge.app.twilio.refused]).toEqual([])
}, 120_000)
