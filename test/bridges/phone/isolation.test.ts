import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeMulaw } from '../../../src/transcode/g711.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import {
  type Admitted,
  fieldsOf,
  Harness,
  type Party,
  SILENCE,
  until,
} from '../../support/phone/twilio-bridge-harness.ts'

const FRAMES = 25

/** Every fault of a stream or a request, each on a separate call. */
const MISDEEDS: Record<string, (bridge: Harness, callSid: string) => Promise<unknown>> = {
  'a wrong token': (bridge, callSid) => refused(bridge, callSid, 'x'.repeat(43)),
  'a wrong CallSid': async (bridge, callSid) => refused(bridge, `${callSid}x`, await bridge.ring(callSid)),
  'a token used before': async (bridge, callSid) => {
    const token = await bridge.ring(callSid)
    const party = await bridge.dial()
    party.start({ callSid, streamSid: `MZ${callSid}`, token })
    await until(() =>
      bridge.relay.admitted.some(({ leg }) => leg.id !== '' && bridge.app.twilio.legs.size === 2),
    )
    await refused(bridge, callSid, token)
    party.stop()
    await party.closed
  },
  'a missing signature on the webhook': (bridge, callSid) =>
    bridge.post('/twilio/voice', fieldsOf(callSid), null),
  'a forged signature on the webhook': (bridge, callSid) =>
    bridge.post('/twilio/voice', fieldsOf(callSid), 'x'),
  'a missing signature on the upgrade': bridge => expect(bridge.dial(null)).rejects.toThrow('403'),
  'a forged signature on the upgrade': bridge =>
    expect(bridge.dial(`${'A'.repeat(27)}=`)).rejects.toThrow('403'),
  'a binary frame': during(party => party.raw(Buffer.alloc(160), true)),
  'a message of 1 MB': during(party => party.raw('x'.repeat(1_000_000))),
  'invalid JSON': during(party => party.raw('{"event":')),
  'wrong base64': during(party => party.media('*'.repeat(216))),
  'a few media messages before start, which are allowed': async (bridge, callSid) => {
    const party = await bridge.dial()
    for (let n = 0; n < 3; n++) party.media()
    party.start({ callSid, streamSid: `MZ${callSid}`, token: await bridge.ring(callSid) })
    await until(() => bridge.app.twilio.legs.size === 2)
    party.stop()
    await party.closed
    return 0
  },
  'a flood of media before start': async bridge => {
    const party = await bridge.dial()
    for (let n = 0; n < 400; n++) party.media()
    expect(await party.closed).toMatchObject({ code: 1008 })
  },
  'a dead connection': during(party => party.socket.terminate(), 0),
  'an unknown event': during(party => party.json({ event: 'hologram', streamSid: party.streamSid })),
}

/** Does `misdeed` during a good call, then continues the call as far as it survives. */
function during(misdeed: (party: Party) => void, lines = 1) {
  return async (bridge: Harness, callSid: string): Promise<number> => {
    const { party, admitted } = await bridge.call(callSid)
    party.media()
    misdeed(party)
    party.media()
    party.stop()
    await until(() => admitted.ended)
    return lines
  }
}

async function refused(bridge: Harness, callSid: string, token: string): Promise<void> {
  const party = await bridge.dial()
  party.start({ callSid, token })
  expect(await party.closed).toMatchObject({ code: 4401 })
}

/** 20 ms of a 400 Hz tone, whole periods, so that frames join seamlessly. */
const TONE = (() => {
  const pcm = Int16Array.from({ length: 160 }, (_, n) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * 400 * n) / 8_000)),
  )
  const bytes = new Uint8Array(pcm.length)
  encodeMulaw(pcm, bytes)
  return Buffer.from(bytes).toString('base64')
})()

describe('while one call misbehaves', () => {
  let bridge: Harness
  let good: { party: Party; admitted: Admitted }

  beforeAll(async () => {
    bridge = await Harness.open()
    good = await bridge.call('CAgood')
  })
  afterAll(() => bridge[Symbol.asyncDispose]())

  it.each(Object.entries(MISDEEDS))(
    'with %s, another call still works in both directions, and one line is logged',
    async (what, misdeed) => {
      const { party, admitted } = good
      const before = {
        frames: admitted.frames.length,
        said: party.received.length,
        lines: bridge.log.complaints.length,
      }
      let sent = 0
      const timer = setInterval(() => {
        if (sent++ < FRAMES) party.media(TONE)
        admitted.leg.play(new Int16Array(FRAME_SAMPLES).fill(1_000))
      }, 10)
      const lines = await misdeed(bridge, `CA${what.replace(/\W/g, '')}`)
      await until(() => admitted.frames.length === before.frames + FRAMES)
      clearInterval(timer)
      await until(() => party.received.length >= before.said + FRAMES)

      expect(bridge.log.complaints.length - before.lines).toBe(lines === 0 ? 0 : 1)
      expect(admitted.ended).toBeUndefined()
      expect(bridge.app.twilio.legs.size).toBe(1)
      expect(quietest(admitted.frames.slice(before.frames > 0 ? before.frames : 1))).toBeGreaterThan(5_000)
      for (const { event, media } of party.received.slice(before.said)) {
        expect(event).toBe('media')
        expect(media?.payload).not.toBe(SILENCE)
      }
    },
  )

  it('no audio was lost or added during all this time', () => {
    const frames = Object.keys(MISDEEDS).length * FRAMES
    const { counters } = [...bridge.app.twilio.legs][0]!
    expect(counters).toMatchObject({
      framesIn: frames,
      mediaIn: frames,
      gapsFilledMs: 0,
      duplicates: 0,
      badMessages: 0,
    })
  })
})

/** Root mean square of the quietest frame. */
function quietest(frames: readonly Int16Array[]): number {
  return Math.min(
    ...frames.map(frame => Math.sqrt(frame.reduce((sum, sample) => sum + sample * sample, 0) / frame.length)),
  )
}
