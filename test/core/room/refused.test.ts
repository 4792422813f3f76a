import { afterEach, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { CaptionFeed } from '../../../src/web/captions/caption-feed.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const no: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_REFUSED', 'the service reports unauthorized/key_wrong'),
}

async function refused() {
  r = await rooms()
  const away: boolean[] = []
  let missed = false
  r.relay.observer.on('reception', event => {
    if (event.listener !== 'bob' || event.missed === missed) return
    missed = event.missed
    away.push(missed)
  })
  r.translator.refuse = no
  r.live('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
  r.live('bob', { hears: 'es-es', original: 'off' })
  r.say('anna', sine(400, 500))
  await r.run(1_000)
  return { away }
}

test('a session refused from the start is logged, not retried, and originals pass', async () => {
  const { away } = await refused()
  expect(r.translator.connections).toHaveLength(1)
  expect(away).toEqual([true])
  expect(r.log.all.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { code: 'SERVICE_REFUSED', error: expect.stringContaining('unauthorized/key_wrong') } },
  ])
  r.say('anna', sine(400, 1_000))
  await r.run(60_000)
  expect(r.translator.connections).toHaveLength(1)
})

test.each([
  ['a third participant joins', () => void r.live('carla', { hears: 'es-es' })],
  ['a participant leaves', () => void r.legs.get('dora')!.close({ kind: 'hangup', by: 'remote' })],
  [
    'a participant changes a setting',
    () => r.relay.rooms.get('r')!.participants.get('bob')!.change({ original: 'duck' }),
  ],
])(
  'after %s, the session is retried, and the original continues until the service accepts',
  async (_, change) => {
    const { away } = await refused()
    r.live('dora', { hears: 'en-us' })
    await r.run(500)
    const before = r.translator.connections.length
    r.translator.refuse = undefined
    r.translator.autoReady = false
    change()
    await r.run(500)
    expect(r.translator.connections).toHaveLength(before + 1)
    expect(away).toEqual([true])
    r.connection('en-us', 'es-es').sink.ready()
    await r.run(500)
    expect(away).toEqual([true, false])
    r.answer('en-us', 'es-es', 1_000, 500)
    await r.run(1_500)
    expect(r.captions).toMatchObject([{ to: 'es-es', translation: 'es-es 1' }])
    expect(r.utterances.some(({ stage, listener }) => stage === 'heard' && listener === 'bob')).toBe(true)
  },
)

test('caption readers are notified of a refusal and of its end', async () => {
  r = await rooms()
  const told: unknown[] = []
  const feed = new CaptionFeed(r.relay.observer, r.clock, () => 0)
  feed.start()
  feed.on((_, event) => {
    if (event.kind === 'service') told.push(event.unavailable)
  })
  r.translator.refuse = no
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  r.live('bob', { hears: 'es-es' })
  r.say('anna', sine(400, 500))
  await r.run(1_000)
  expect(told).toEqual([true])
  r.translator.refuse = undefined
  r.live('carla', { hears: 'es-es' })
  await r.run(500)
  expect(told).toEqual([true, false])
})
