import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { Harness, until } from '../../support/phone/twilio-bridge-harness.ts'

describe('a phone call', () => {
  it('becomes a leg with audio in both directions', async () => {
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
    expect(Buffer.from(party.received[0]!.media!.payload, 'base64')).toHaveLength(320)
    party.mark(party.received[1]!.mark!.name)
    await until(() => admitted.marks.length === 1)
    expect(admitted.marks).toEqual(['u1'])

    party.stop()
    expect(await party.closed).toMatchObject({ code: 1000 })
    expect(admitted.ended).toEqual({ kind: 'hangup', by: 'remote' })
    expect(bridge.log.complaints).toEqual([])
  })

  it('is supervised while it is quiet', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    const { party, admitted } = await bridge.call('CA1')
    clock.advance(1_000)
    expect(admitted.frames).toHaveLength(50)
    const pinged = new Promise(resolve => party.socket.once('ping', resolve))
    clock.advance(4_000)
    await pinged
    party.socket.terminate()
    await until(() => admitted.ended)
    expect(clock.pending).toBe(0)
  })

  it('does not prevent the supervision of others', async () => {
    const clock = new FakeClock()
    await using bridge = await Harness.open({ clock })
    const broken = await bridge.call('CA1')
    const sound = await bridge.call('CA2')
    broken.admitted.leg.attach({
      write() {
        throw new Error('broken')
      },
      marked() {},
      dtmf() {},
    })
    clock.advance(1_000)
    await until(() => broken.admitted.ended)
    expect(sound.admitted.frames).toHaveLength(50)
    expect(bridge.log.complaints).toEqual([expect.stringContaining('leg failed')])
  })
})
