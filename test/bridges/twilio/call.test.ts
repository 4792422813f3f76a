import { describe, expect, it } from 'vitest'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { Harness, until } from './harness.ts'

describe('a telephone call', () => {
  it('becomes a leg that hears and is heard', async () => {
    await using bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    expect(admitted.invitation).toEqual({ room: 'CA1', speaks: 'en-us', hears: 'es-es' })

    for (let n = 0; n < 5; n++) party.media()
    await until(() => admitted.frames.length === 5)
    expect(admitted.frames.every(frame => frame.length === FRAME_SAMPLES)).toBe(true)

    admitted.leg.play(new Int16Array(FRAME_SAMPLES * 2))
    admitted.leg.mark('u1')
    await until(() => party.received.length === 2)
    expect(party.received.map(({ event, streamSid }) => ({ event, streamSid }))).toEqual([
      { event: 'media', streamSid: 'MZCA1' },
      { event: 'mark', streamSid: 'MZCA1' },
    ])
    expect(Buffer.from(party.received[0]!.media!.payload, 'base64')).toEqual(Buffer.alloc(320, 0xff))
    party.mark(party.received[1]!.mark!.name)
    await until(() => admitted.marks.length === 1)
    expect(admitted.marks).toEqual(['u1'])

    party.stop()
    expect(await party.closed).toMatchObject({ code: 1000 })
    expect(admitted.ended).toEqual({ kind: 'hangup', by: 'remote' })
    expect(bridge.log.complaints).toEqual([])
  })
})
