import { afterEach, describe, expect, test } from 'vitest'
import { VoiceServer } from '../../../../simulator/discord/voice/voice-server.ts'
import { CHANNEL, Stage, type StageOptions } from '../../../support/discord/voice-link-harness.ts'
import { pause } from '../../../support/until.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})

async function open(options: StageOptions = {}): Promise<Stage> {
  const stage = await Stage.open({ dave: false, ...options })
  opened.push(stage)
  return stage
}

const joins = (stage: Stage) => stage.asked.filter(({ channelId }) => channelId !== undefined)

describe('joining', () => {
  test('repeats IP discovery when the answer is lost', async () => {
    const stage = await open()
    stage.call.faults.withholdIpDiscovery = 1
    expect(await stage.link.join()).toBeUndefined()
    expect(joins(stage).length).toBe(1)
  })

  test('restarts after a failed attempt, up to the limit, and then reports it', async () => {
    const stage = await open({ limits: { joinTimeoutMs: 200, attemptsMost: 3 } })
    stage.call.faults.withholdIpDiscovery = 1_000
    expect(await stage.link.join()).toEqual({ kind: 'unreachable', attempts: 3 })
    expect(joins(stage).length).toBe(3)
    expect(stage.asked.at(-1)?.channelId).toBeUndefined()
    expect(stage.counters.rejoins).toBe(2)
  })

  test('reports that the main gateway does not answer', async () => {
    const stage = await open({ limits: { joinTimeoutMs: 100, attemptsMost: 2 } })
    stage.mute = true
    expect(await stage.link.join()).toEqual({ kind: 'unreachable', attempts: 2 })
    expect(stage.states).toEqual(['ended'])
  })

  test('waits for a main gateway that is temporarily unavailable', async () => {
    const stage = await open()
    stage.unreachable = true
    const joined = stage.link.join()
    await pause(100)
    stage.unreachable = false
    expect(await joined).toBeUndefined()
  })

  test('survives and reports an untrusted certificate of the server', async () => {
    const stranger = await VoiceServer.listen({ dave: false })
    opened.push(stranger)
    const stage = await open({ limits: { attemptsMost: 2, joinTimeoutMs: 1_000 } })
    stage.endpoint = stranger.endpoint
    expect(await stage.link.join()).toEqual({ kind: 'unreachable', attempts: 2 })
    expect(stage.counters.libraryErrors).toBeGreaterThan(0)
  })

  test('is permanently refused without the encryption that the channel requires', async () => {
    const stage = await open({ dave: true, linkDave: false })
    expect(await stage.link.join()).toEqual({ kind: 'refused', code: 'encryption' })
    expect(joins(stage).length).toBe(1)
  })

  test('ends when `leave` is called first', async () => {
    const stage = await open()
    stage.mute = true
    const joined = stage.link.join()
    await stage.link.leave({ kind: 'stopped', by: 'anna' })
    expect(await joined).toEqual({ kind: 'stopped', by: 'anna' })
    expect(await stage.link.leave({ kind: 'empty' })).toEqual({ kind: 'stopped', by: 'anna' })
    expect(stage.asked.map(({ channelId }) => channelId)).toEqual([CHANNEL, undefined])
  })

  test('is possible once', async () => {
    const { link } = await open()
    await link.join()
    expect(() => link.join()).toThrow('once')
  })
})
