import { afterEach, expect, test } from 'vitest'
import { BridgeError } from '../../src/common/errors.ts'
import type { EndReason } from '../../src/common/lifecycle.ts'
import { Consents } from '../../src/recording/disk-recorder.ts'
import { loudness } from '../../src/transcode/level.ts'
import { rooms } from '../support/relay/rooms.ts'
import { sine } from '../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const broken: EndReason = {
  kind: 'failed',
  error: new BridgeError('LEG_LOST', 'the socket broke', { retryable: true }),
}
const notice = { name: 'notice', pcm: sine(500, 600, 6_000) }

/** Plays the notice to Anna; `told` is the outcome. */
async function telling(leg: 'live' | 'silent' = 'live') {
  r = await rooms()
  const anna =
    leg === 'live' ? r.live('anna', { speaks: 'en-us' }, 'CA1') : r.join('anna', { speaks: 'en-us' })
  await r.run(500)
  const consents = new Consents(r.clock)
  const party = r.relay.find('anna')!
  const it = { anna, consents, party, told: undefined as boolean | undefined }
  void consents.tell(party, Promise.resolve(notice)).then(told => {
    it.told = told
  })
  await Promise.resolve()
  return it
}

test('repeats the notice for a participant who was disconnected during it', async () => {
  const it = await telling()
  await r.run(203)
  void it.anna.close(broken)
  // Longer than the notice plus the wait for a peer without confirmations.
  await r.run(9_000)
  expect([it.told, it.consents.has('anna')]).toEqual([undefined, false])
  const again = r.live('anna-2', {}, 'CA1')
  await r.run(1_500)
  expect(loudness(again.between(40, 300), 500, 16_000)).toBeGreaterThan(5_000)
  expect([it.told, it.consents.has('anna')]).toEqual([true, true])
})

test('assumes consent of a peer without confirmations a few seconds after the notice was sent', async () => {
  const it = await telling('silent')
  await r.run(5_000)
  expect(it.told).toBeUndefined()
  await r.run(1_000)
  expect(it.told).toBe(true)
})

test('stops waiting for a peer that accepts no audio, without consent', async () => {
  const it = await telling('silent')
  it.anna.congested = true
  it.party.playout.clear()
  await r.run(60_000)
  expect([it.told, it.consents.has('anna')]).toEqual([false, false])
})
