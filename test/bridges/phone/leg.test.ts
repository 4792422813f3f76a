import { describe, expect, it } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { answeredLeg } from '../../support/phone/fake-socket.ts'

const base64 = (length: number, fill = 0xff) => Buffer.alloc(length, fill).toString('base64')
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('a phone leg receives', () => {
  it('every 20 ms as one frame', () => {
    const { clock, media, got, counters } = answeredLeg()
    for (let n = 0; n < 500; n++) {
      clock.advance(20)
      media()
    }
    expect(got.frames).toHaveLength(500)
    expect(got.frames.every(frame => frame.length === FRAME_SAMPLES)).toBe(true)
    expect(counters).toMatchObject({ mediaIn: 500, framesIn: 500, gapsFilledMs: 0, duplicates: 0 })
  })

  it('pieces of any length as frames', () => {
    const { media, got } = answeredLeg()
    let at = 0
    for (const length of [0, 1, 159, 161, 319, 3_200, 16_000, 160]) {
      media(at, base64(length))
      at += length / 8
    }
    expect(got.frames).toHaveLength(20_000 / 160)
  })

  it('silence for a gap in the media clock', () => {
    const { media, got, counters } = answeredLeg()
    media(73)
    media(113)
    expect(got.frames).toHaveLength(3)
    media(113 + 20 + 10_000)
    expect(got.frames).toHaveLength(4 + 500)
    expect(counters).toMatchObject({ gapsFilledMs: 10_020, pauses: 0 })
  })

  it('no silence for a pause of more than 10 s', () => {
    const { media, got, counters } = answeredLeg()
    media(0)
    media(60_000)
    expect(got.frames).toHaveLength(2)
    expect(counters).toMatchObject({ gapsFilledMs: 0, pauses: 1 })
  })

  it('repeated media only once', () => {
    const { media, got, counters } = answeredLeg()
    for (const at of [0, 20, 20, 0, 40]) media(at)
    expect(got.frames).toHaveLength(3)
    expect(counters.duplicates).toBe(2)
  })

  it('silence for payloads that are not base64', () => {
    const { media, got, counters, log } = answeredLeg()
    media(0)
    media(20, `${base64(159, 0x00).slice(0, 100)}!${base64(159, 0x00).slice(101)}`)
    media(40, 'x')
    expect(got.frames).toHaveLength(3)
    expect(got.pcm.every(sample => sample === 0)).toBe(true)
    expect(counters.badPayloads).toBe(2)
    expect(log.complaints).toHaveLength(1)
  })

  it('neither its own output nor other streams', () => {
    const { fake, got, counters } = answeredLeg()
    const media = { timestamp: '0', payload: base64(160) }
    fake.hear({ event: 'media', streamSid: 'MZ1', media: { ...media, track: 'outbound' } })
    fake.hear({ event: 'media', streamSid: 'MZ2', media })
    fake.hear({ event: 'stop', streamSid: 'MZ2' })
    fake.hear({ event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid: 'CA2' } })
    fake.hear({ event: 'hologram', streamSid: 'MZ1' })
    expect(got.frames).toHaveLength(0)
    expect(counters.ignored).toBe(5)
  })

  it('keys, at most 20 a second', () => {
    const { fake, got, clock, counters } = answeredLeg()
    for (const digit of ['1', '#', 'A']) fake.hear({ event: 'dtmf', streamSid: 'MZ1', dtmf: { digit } })
    expect(got.digits).toEqual(['1', '#', 'A'])
    for (let n = 0; n < 100; n++) fake.hear({ event: 'dtmf', streamSid: 'MZ1', dtmf: { digit: '5' } })
    expect(counters).toMatchObject({ dtmf: 20, dtmfDropped: 83 })
    clock.advance(1_000)
    fake.hear({ event: 'dtmf', streamSid: 'MZ1', dtmf: { digit: '6' } })
    expect(got.digits.at(-1)).toBe('6')
  })

  it('at most a full gap and a burst ahead of real time', () => {
    const { fake, got, counters } = answeredLeg()
    for (let n = 0; n < 40; n++) {
      const media = { timestamp: String(n * 2_000), payload: base64(16_000) }
      fake.hear({ event: 'media', streamSid: 'MZ1', media })
    }
    expect(got.frames.length).toBeLessThanOrEqual(750)
    expect(counters.floodDropped).toBeGreaterThan(0)
  })
})

describe('a quiet phone leg', () => {
  it('gets silence in real time, and no extra silence when media resumes', () => {
    const { clock, leg, media, got, counters } = answeredLeg()
    media(0)
    const watch = (ms: number) => {
      for (let left = ms; left > 0; left -= 200) {
        clock.advance(200)
        leg.watch(clock.now())
      }
    }
    watch(800)
    expect(got.frames).toHaveLength(1)
    watch(200)
    expect(got.frames).toHaveLength(1 + 50)
    watch(2_000)
    expect(got.frames).toHaveLength(1 + 150)
    // The media clock misses 3.1 s, of which 3 s were fed.
    media(20 + 3_100)
    expect(got.frames).toHaveLength(1 + 150 + 5 + 1)
    expect(counters).toMatchObject({ silenceFedMs: 3_000, gapsFilledMs: 100 })
  })

  it('loses nothing when a stall ends in a burst', () => {
    const { clock, leg, media, got } = answeredLeg()
    media(0)
    clock.advance(2_000)
    leg.watch(clock.now())
    const before = got.frames.length
    for (let n = 0; n < 100; n++) media()
    expect(got.frames).toHaveLength(before + 100)
  })

  it('is pinged after 5 s and dropped after 15 s', async () => {
    const { clock, leg, fake, got } = answeredLeg()
    const look = (ms: number) => {
      clock.advance(ms)
      leg.watch(clock.now())
    }
    for (let s = 0; s < 5; s++) {
      expect(fake.pings).toBe(0)
      look(1_000)
    }
    expect(fake.pings).toBe(1)
    for (const ms of [...Array(9).fill(1_000), 990]) look(ms)
    expect(fake.terminated).toBe(false)
    look(20)
    expect(fake.terminated).toBe(true)
    await settled()
    expect(got.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_SILENT', retryable: true } })
    expect(clock.pending).toBe(0)
  })

  it('stays alive while pongs arrive', () => {
    const { clock, leg, fake } = answeredLeg()
    for (let s = 0; s < 60; s++) {
      clock.advance(1_000)
      leg.watch(clock.now())
      if (s % 5 === 4) fake.emit('pong')
    }
    expect(fake.terminated).toBe(false)
    expect(fake.pings).toBeGreaterThan(0)
  })
})

describe('a phone leg sends', () => {
  it('each piece in one message', () => {
    const { leg, fake, counters } = answeredLeg()
    leg.play(new Int16Array(FRAME_SAMPLES))
    leg.play(new Int16Array(2 * FRAME_SAMPLES))
    leg.play(new Int16Array(100 * FRAME_SAMPLES))
    const sent = fake.sent.map(text => JSON.parse(text))
    for (const each of sent) expect(each).toMatchObject({ event: 'media', streamSid: 'MZ1' })
    const payloads = sent.map(({ media }) => Buffer.from(media.payload, 'base64'))
    expect(payloads.map(({ length }) => length)).toEqual([160, 320, 16_000])
    expect(counters).toMatchObject({ mediaOut: 3, sentMs: 2_060 })
  })

  it('marks, and treats the echo of a cleared mark as not played', () => {
    const { leg, fake, got, counters } = answeredLeg()
    leg.mark('u1')
    leg.flush()
    leg.mark('u2')
    expect(fake.sent.map(text => JSON.parse(text))).toEqual([
      { event: 'mark', streamSid: 'MZ1', mark: { name: 'g0:u1' } },
      { event: 'clear', streamSid: 'MZ1' },
      { event: 'mark', streamSid: 'MZ1', mark: { name: 'g1:u2' } },
    ])
    for (const name of ['g0:u1', 'g1:u2', 'g1:u2', 'u3'])
      fake.hear({ event: 'mark', streamSid: 'MZ1', mark: { name } })
    expect(got.marks).toEqual(['u2'])
    expect(counters).toMatchObject({ marksSent: 2, marksHeard: 1, marksStale: 3, clears: 1 })
  })

  it('its congestion state, and disconnects above 1 MB', async () => {
    const { leg, fake, got } = answeredLeg()
    fake.bufferedAmount = 65_536
    expect(leg.congested).toBe(false)
    fake.bufferedAmount++
    expect(leg.congested).toBe(true)
    leg.play(new Int16Array(FRAME_SAMPLES))
    expect(fake.terminated).toBe(false)
    fake.bufferedAmount = 1_048_577
    leg.play(new Int16Array(FRAME_SAMPLES))
    expect(fake.terminated).toBe(true)
    await settled()
    expect(got.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
  })
})

describe('a phone leg ends', () => {
  it('when Twilio stops the stream; no audio passes afterwards', async () => {
    const { leg, fake, got, media } = answeredLeg()
    fake.hear({ event: 'stop', streamSid: 'MZ1' })
    expect(fake.closeCode).toBe(1000)
    leg.play(new Int16Array(FRAME_SAMPLES))
    leg.mark('u1')
    leg.flush()
    media()
    await settled()
    expect(fake.sent).toEqual([])
    expect(got.frames).toEqual([])
    expect(got.ended).toEqual({ kind: 'hangup', by: 'remote' })
  })

  it.each([
    [{ kind: 'hangup', by: 'local' } as const, 1000],
    [{ kind: 'unused' } as const, 1000],
    [{ kind: 'idle', afterMs: 1 } as const, 1000],
    [{ kind: 'parent-closed' } as const, 1001],
    [{ kind: 'replaced' } as const, 4409],
    [{ kind: 'failed', error: new BridgeError('CAPACITY', 'full') } as const, 1013],
    [{ kind: 'failed', error: new BridgeError('STATE', 'odd') } as const, 1011],
  ])('for the reason given by its owner: %o', async (reason, code) => {
    const { leg, fake, clock } = answeredLeg()
    const first = leg.close(reason)
    expect(leg.close({ kind: 'hangup', by: 'remote' })).toBe(first)
    expect(fake.closeCode).toBe(code)
    expect(await leg.ended).toBe(reason)
    fake.gone(code)
    await first
    expect(clock.pending).toBe(0)
  })

  it('by force when the peer does not answer the close frame', async () => {
    const { leg, fake, clock } = answeredLeg()
    const closed = leg.close({ kind: 'hangup', by: 'local' })
    clock.advance(999)
    expect(fake.terminated).toBe(false)
    clock.advance(1)
    expect(fake.terminated).toBe(true)
    await closed
  })

  it.each([
    [1000, { kind: 'hangup', by: 'remote' }],
    [1006, { kind: 'failed', error: { code: 'LEG_LOST', retryable: true } }],
  ])('when the socket closes with %i', async (code, reason) => {
    const { leg, fake } = answeredLeg()
    fake.gone(code)
    expect(await leg.ended).toMatchObject(reason)
    await leg.close({ kind: 'parent-closed' })
  })

  it('when the connection fails', async () => {
    const { leg, fake } = answeredLeg()
    fake.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    expect(await leg.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
  })

  it('alone, when its uplink throws', async () => {
    const { leg, fake, log, media } = answeredLeg()
    leg.attach({
      write() {
        throw new TypeError('broken')
      },
      marked() {},
      dtmf() {},
    })
    expect(() => media()).not.toThrow()
    expect(fake.closeCode).toBe(1011)
    expect(await leg.ended).toMatchObject({ kind: 'failed', error: { code: 'LEG_LOST' } })
    expect(log.complaints).toHaveLength(1)
  })

  it('with one log line containing its totals', () => {
    const { fake, log, media } = answeredLeg()
    media()
    fake.hear({ event: 'stop', streamSid: 'MZ1' })
    fake.gone(1000)
    expect(log.all).toHaveLength(1)
    expect(log.all[0]).toMatchObject({
      level: 'info',
      message: 'stream ended',
      fields: { legId: 'twilio-1', callId: 'CA1', reason: 'hangup by remote', mediaIn: 1 },
    })
  })
})
