import { describe, expect, it } from 'vitest'
import type { NoticeName } from '../../src/core/model/announcer.ts'
import type { SubscriberOptions } from '../../src/simulator/twilio/rest/phone-number.ts'
import { ANA, BEN, CODES, DESK, everHeard, LINE, PUBLIC, SOFT, twoPeople } from '../support/e2e/two-people.ts'
import { noticeHz, toneHz } from '../support/relay/fake-announcer.ts'
import { sine } from '../support/transcode/tone.ts'

const ANA_HZ = 440
const DESK_HZ = 520
const BEN_HZ = 770
const PATIENT = { timeout: 40_000 }
const said = (hz: number, ms = 8_000) => sine(hz, ms, 8_000, 8_000)

describe.concurrent('two people on one call', PATIENT, () => {
  it('hear each other after ringing, and end together', async () => {
    await using line = await twoPeople()
    line.desk.options = { answerAfterMs: 2_500 }
    const ana = await line.call(ANA)
    await line.hears(ana, toneHz('ringback'))
    const desk = await line.desk.call(1)
    await line.until(() => line.announcer.asked.includes('connected es-es'), 'the answer')
    void ana.say(said(ANA_HZ), 8_000)
    void desk.say(said(DESK_HZ), 8_000)
    await Promise.all([line.hears(ana, DESK_HZ), line.hears(desk, ANA_HZ)])
    expect(line.announcer.asked).toEqual([
      'connecting es-es name=Desk',
      'incoming en-us name=Ana',
      'connected es-es',
    ])
    await ana.hangUp()
    await desk.ended
    expect(everHeard(desk.heard(), noticeHz('other-left'))).toBe(true)
    await line.until(() => line.app.relay.rooms.size === 0 && line.app.switchboard.calls === 0, 'the end')
    await line.until(
      () => line.twilio.calls.every(({ status }) => status === 'completed'),
      'the end at Twilio',
    )
    for (const phone of [ana, desk])
      expect([phone.report().errors, phone.report().warnings]).toEqual([[], []])
    expect(line.log.complaints).toEqual([])
    expect(JSON.stringify(line.log.all)).not.toMatch(/\+34|\+1212|\+1500|Ana|Desk/)
  })

  it('end together when the callee hangs up', async () => {
    await using line = await twoPeople({ machineDetection: false })
    const ana = await line.call(ANA)
    const desk = await line.desk.call(1)
    await line.until(() => line.announcer.asked.includes('connected es-es'), 'the answer')
    await desk.hangUp()
    await ana.ended
    expect(everHeard(ana.heard(), noticeHz('other-left'))).toBe(true)
  })

  it.each<[NoticeName, SubscriberOptions]>([
    ['busy', { behavior: 'busy' }],
    ['voicemail', { behavior: 'voicemail' }],
    ['call-failed', { behavior: 'fails' }],
    ['no-answer', { behavior: 'no-answer' }],
  ])('are not connected: the caller hears %s, and is hung up', async (notice, options) => {
    await using line = await twoPeople({ ringSeconds: 5 })
    line.desk.options = options
    const ana = await line.call(ANA)
    await ana.ended
    expect(line.announcer.asked.at(-1)).toBe(`${notice} es-es`)
    expect(everHeard(ana.heard(), noticeHz(notice))).toBe(true)
    await line.until(() => line.app.switchboard.calls === 0, 'the end')
  })

  it('are not connected if the API rejects calls or is unavailable, and no number is logged', async () => {
    await using line = await twoPeople()
    line.twilio.account.options.refused = { [DESK]: 21215 }
    const ana = await line.call(ANA)
    await ana.ended
    expect(everHeard(ana.heard(), noticeHz('call-failed'))).toBe(true)
    expect(line.log.complaints.join()).toContain('21215')
    expect(line.log.complaints.join()).not.toContain(DESK)
  })

  it('are not connected if the caller hangs up during ringing: the ringing stops', async () => {
    await using line = await twoPeople()
    line.desk.options = { behavior: 'no-answer' }
    const ana = await line.call(ANA)
    await line.until(() => line.twilio.calls.some(({ status }) => status === 'ringing'), 'ringing')
    await ana.hangUp()
    await line.until(
      () => line.twilio.calls.some(({ status }) => status === 'canceled'),
      'the end of the ringing',
    )
    expect(line.app.relay.rooms.size).toBe(0)
  })

  it.each<[string, (line: Awaited<ReturnType<typeof twoPeople>>) => void]>([
    ['twice', ({ twilio }) => Object.assign(twilio.callbackFaults, { duplicate: true })],
    ['in the wrong order', ({ twilio }) => Object.assign(twilio.callbackFaults, { reorder: true })],
    ['never', ({ twilio }) => Object.assign(twilio.callbackFaults, { lose: true })],
    [
      'before the request is answered',
      ({ twilio }) => twilio.faults.next({ only: 'POST Calls', delayMs: 2_000 }),
    ],
    [
      'and the answer to the request never',
      ({ twilio }) => twilio.faults.next({ only: 'POST Calls', cut: 'after' }),
    ],
  ])('are still connected when callbacks come %s', async (_when, make) => {
    await using line = await twoPeople({ machineDetection: false })
    make(line)
    const ana = await line.call(ANA)
    const desk = await line.desk.call(1)
    void desk.say(said(DESK_HZ), 8_000)
    await line.hears(ana, DESK_HZ)
    await ana.hangUp()
    await desk.ended
    expect(line.twilio.calls).toHaveLength(2)
  })

  it('with simultaneous calls from one number never mix', async () => {
    await using line = await twoPeople({ machineDetection: false })
    const [one, two] = [await line.call(ANA), await line.call(ANA)]
    const [first, second] = [await line.desk.call(1), await line.desk.call(2)]
    void first.say(said(DESK_HZ, 20_000), 8_000)
    void second.say(said(BEN_HZ, 20_000), 8_000)
    const loud = async (phone: typeof one) => {
      await line.until(() => [DESK_HZ, BEN_HZ].some(hz => everHeard(phone.heard(), hz, SOFT)), 'a voice')
      return [DESK_HZ, BEN_HZ].filter(hz => everHeard(phone.heard(), hz, SOFT))
    }
    const heard = [await loud(one), await loud(two)]
    expect(heard.flat().sort()).toEqual([DESK_HZ, BEN_HZ])
    // The callee of each call depends on who answers first; each call has its own end.
    const rooms = [...line.app.relay.rooms.values()].map(room => room.participants.size)
    expect(rooms).toEqual([2, 2])
  })

  it('lose no participant when a stream breaks', async () => {
    await using line = await twoPeople({ machineDetection: false })
    const ana = await line.call(ANA)
    const desk = await line.desk.call(1)
    await line.until(() => line.announcer.asked.includes('connected es-es'), 'the answer')
    desk.drop()
    ana.drop()
    void desk.say(said(DESK_HZ, 20_000), 8_000)
    void ana.say(said(ANA_HZ, 20_000), 8_000)
    await Promise.all([line.hears(ana, DESK_HZ), line.hears(desk, ANA_HZ)])
    expect(line.twilio.calls).toHaveLength(2)
  })

  it('can become three: a caller with the code joins, in their own language', async () => {
    await using line = await twoPeople({ machineDetection: false })
    const ana = await line.call(ANA)
    const desk = await line.desk.call(1)
    await line.until(() => line.announcer.asked.includes('connected es-es'), 'the answer')
    const [room = ''] = line.app.relay.rooms.keys()
    const code = await line.app.roomCodes.issue(room, 60_000)
    const ringing = line.call(BEN, CODES)
    await line.until(() => line.twilio.subscriber(BEN).calls.length === 1, 'the third call')
    const ben = await line.twilio.subscriber(BEN).call(1)
    await line.hearsNotice(ben, noticeHz('choose-language'))
    ben.press('2')
    await line.hearsNotice(ben, noticeHz('enter-room-code'))
    ben.press(`${code}#`)
    await ringing
    await line.until(() => line.app.relay.rooms.get(room)?.participants.size === 3, 'the third participant')
    void ben.say(said(BEN_HZ, 20_000), 8_000)
    await Promise.all([line.hears(ana, BEN_HZ), line.hears(desk, BEN_HZ)])
    await desk.hangUp()
    await new Promise(resolve => setTimeout(resolve, 2_000))
    expect([ana.live, ben.live]).toEqual([true, true])
    await ana.hangUp()
    await ben.ended
    expect(everHeard(ben.heard(), noticeHz('other-left'))).toBe(true)
  })

  it('are rejected when all lines are in use', async () => {
    await using line = await twoPeople({ calls: { maxRooms: 1 } })
    line.desk.options = { behavior: 'no-answer' }
    const ana = await line.call(ANA)
    const ben = await line.call(BEN)
    await ben.ended
    expect(everHeard(ben.heard(), noticeHz('line-full'))).toBe(true)
    expect(ana.live).toBe(true)
  })
})

it('a repeated webhook of an outbound call, even after its end, changes nothing', PATIENT, async () => {
  await using line = await twoPeople({ machineDetection: false })
  const ana = await line.call(ANA)
  const desk = await line.desk.call(1)
  await line.until(() => line.announcer.asked.includes('connected es-es'), 'the answer')
  await desk.hangUp()
  await ana.ended
  const order = line.twilio.requests.find(({ path }) => path.endsWith('/Calls.json'))
  expect(String(order?.fields.Url)).toMatch(new RegExp(`^${PUBLIC}/twilio/dial/answer\\?dial=[\\w-]{22}$`))
  expect(String(order?.fields.Url)).not.toContain(LINE.slice(1))
  await line.until(() => line.twilio.calls.every(({ status }) => status === 'completed'), 'the end at Twilio')
  expect(line.twilio.requests.filter(({ path }) => path.endsWith('/Calls.json'))).toHaveLength(1)
})
