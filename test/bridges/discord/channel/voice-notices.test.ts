import { describe, expect, it } from 'vitest'
import { VoiceNotices } from '../../../../src/bridges/discord/channel/voice-notices.ts'
import { anyOf, total } from '../../../support/discord/guild-harness.ts'
import { FakeAnnouncer, NOTICE_MS, noticeHz } from '../../../support/relay/fake-announcer.ts'
import { rooms } from '../../../support/relay/rooms.ts'

async function started() {
  const line = await rooms()
  const ear = line.live('ear', { hears: 'en-us' })
  const announcer = new FakeAnnouncer()
  const notices = new VoiceNotices(announcer, line.clock, () => line.relay.find('ear'))
  return { ...line, ear, announcer, notices }
}

describe('notices in a channel', () => {
  it('are played one after the other in each language', async () => {
    const { ear, notices, run } = await started()
    notices.play('channel-interpreted', ['en-us', 'es-es'])
    await run(NOTICE_MS + 200)
    expect(total(ear.heard(), noticeHz('channel-interpreted'))).toBeGreaterThan(NOTICE_MS * 0.6)
    await run(2_000)
    expect(total(ear.heard(), noticeHz('channel-interpreted'))).toBeGreaterThan(NOTICE_MS * 1.4)
  })

  it('are not repeated too often', async () => {
    const { announcer, notices, run } = await started()
    for (let n = 0; n < 10; n++) {
      notices.play('channel-interpreted', ['en-us'])
      await run(1_000)
    }
    expect(announcer.asked).toEqual(['channel-interpreted en-us'])
    // People who come and go must not interrupt everyone each time.
    for (let n = 0; n < 34; n++) {
      notices.play('channel-interpreted', ['en-us'])
      await run(5_000)
    }
    expect(announcer.asked.length).toBe(1)
    notices.play('channel-interpreted', ['en-us'])
    notices.play('phone-joined', ['en-us'])
    await run(15_100)
    notices.play('phone-joined', ['en-us'])
    await run(100)
    const [first, ...others] = announcer.asked
    expect([first, ...others.toSorted()]).toEqual([
      'channel-interpreted en-us',
      'channel-interpreted en-us',
      'phone-joined en-us',
      'phone-joined en-us',
    ])
  })

  it('are repeated in another channel', async () => {
    const { announcer, notices, run } = await started()
    notices.play('channel-interpreted', ['en-us'])
    await run(1_000)
    notices.forget('channel-interpreted')
    notices.play('channel-interpreted', ['en-us'])
    await run(1_000)
    expect(announcer.asked.length).toBe(2)
  })

  it('end with a goodbye, which is awaited and is the last', async () => {
    const { ear, notices, run } = await started()
    notices.play('channel-interpreted', ['en-us', 'es-es', 'fr-fr'])
    await run(100)
    let over = false
    void notices.farewell(['en-us'], 4_000).then(() => {
      over = true
    })
    await run(300)
    expect(over).toBe(false)
    await run(1_000)
    expect(over).toBe(true)
    notices.play('phone-joined', ['en-us'])
    await run(1_000)
    expect(anyOf(ear.heard(), noticeHz('goodbye'))).toBe(true)
    expect(anyOf(ear.heard(), noticeHz('phone-joined'))).toBe(false)
  })

  it('do not wait for an ear that never finishes', async () => {
    const { relay, clock, run, join, announcer } = await started()
    join('deaf', { hears: 'en-us' })
    const notices = new VoiceNotices(announcer, clock, () => relay.find('deaf'))
    let over = false
    void notices.farewell(['en-us'], 4_000).then(() => {
      over = true
    })
    await run(3_900)
    expect(over).toBe(false)
    await run(200)
    expect(over).toBe(true)
  })
})
