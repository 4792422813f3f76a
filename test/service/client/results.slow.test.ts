import { describe, expect, test } from 'vitest'
import { PATIENCE_MS, Rig, WHOLE } from '../../support/faults/service-fault-harness.ts'
import { LeakWatch } from '../../support/leaks.ts'
import { pause, until } from '../../support/until.ts'

describe.concurrent('invalid results, on a real socket', () => {
  test('every result twice: each is played once', async () => {
    await using rig = await Rig.open({ service: { faults: { duplicate: true } } })
    await rig.speak(0, 60)
    await rig.speak(60, 120)
    expect(await rig.count(0, 120)).toEqual(WHOLE)
    expect(rig.captions.filter(({ final }) => final)).toHaveLength(2)
  })

  test('the same in pieces', async () => {
    await using rig = await Rig.open({
      client: { mode: 'streaming' },
      service: { faults: { duplicate: true } },
    })
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
  })

  test('two concurrent calls never hear a frame of each other, for any data from a service', async () => {
    await using one = await Rig.open()
    await using two = await Rig.open()
    const [first, second] = await Promise.all([one.session(1), two.session(1)])
    // Names of each other's utterances, of unknown utterances, and ends of them.
    for (const session of [first, second])
      for (const id of ['0', '1', '2', '99', '__proto__']) session.emit('endSynth', { id })
    await Promise.all([one.speak(0, 80), two.speak(10_000, 10_080)])
    expect(await one.count(0, 80)).toEqual(WHOLE)
    expect(await two.count(10_000, 10_080)).toEqual(WHOLE)
  })

  test('a result of 5 MB ends its own connection only', async () => {
    await using one = await Rig.open()
    await using two = await Rig.open()
    const huge = await one.session(1)
    await Promise.all([
      one.speak(0, 100),
      two.speak(10_000, 10_100),
      pause(500).then(() => huge.emit('result', { file: { data: Buffer.alloc(5_000_000) } })),
    ])
    expect((await one.count(0, 100)).lost).toEqual([])
    expect(await two.count(10_000, 10_100)).toEqual(WHOLE)
    expect(one.relay.metrics.sessionsDropped).toBe(1)
    expect(two.relay.metrics.sessionsDropped).toBe(0)
  })

  test('voices that are not bytes are ignored; more than ten attachments end the connection', async () => {
    await using rig = await Rig.open()
    const session = await rig.session(1)
    const base64 = Buffer.from('no sound').toString('base64')
    for (const data of [
      base64,
      `data:audio/mpeg;base64,${base64}`,
      [1, 2],
      { type: 'Buffer', data: [1] },
      7,
      null,
    ])
      session.emit('result', { id: 'x', final: true, text: 'x', file: { data } })
    session.emit('result', { parts: Array.from({ length: 11 }, () => Buffer.from('x')) })
    await until(() => rig.service.sessions.length === 2, PATIENCE_MS, 'another connection')
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(rig.relay.metrics.mp3InvalidBytes).toBe(0)
  })

  test('a few unknown events are harmless; a flood of them ends the connection, and the speech is played', async () => {
    await using rig = await Rig.open()
    const first = await rig.session(1)
    for (let n = 0; n < 100; n++) first.emit(`event ${n}`, { n })
    const speaking = rig.speak(0, 100)
    await pause(700)
    expect(first.connected).toBe(true)
    for (let n = 0; n < 10_000 && first.connected; n++) first.emit('nonsense', n)
    await until(() => !first.connected, PATIENCE_MS, 'that the flood is ended')
    await speaking
    expect((await rig.count(0, 100)).lost).toEqual([])
    expect(rig.relay.metrics.sessionsDropped).toBe(1)
  })

  test('errors of every kind and size are only logged, short, without control characters', async () => {
    await using rig = await Rig.open()
    const session = await rig.session(1)
    const evil = 'a\u0000b\u001b[31mc\nd\u202e'
    session.error({ code: evil, error: evil, description: evil.repeat(1_000) })
    session.error({ description: 'x'.repeat(1_000_000) })
    session.error(JSON.parse('{"__proto__":{"polluted":1},"code":{"a":1},"error":[1],"description":7}'))
    for (const body of [null, 7, 'words', [], undefined]) session.error(body)
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const lines = JSON.stringify(rig.log.all)
    expect(lines.length).toBeLessThan(10_000)
    expect(/\\u0000|\\u001b|\u202e|\\n/.test(lines)).toBe(false)
    expect(rig.captions.every(({ text }) => text === 'en-us 1')).toBe(true)
    expect(session.connected).toBe(true)
  })

  test('accepts connected and start twice, late, and with any content', async () => {
    await using rig = await Rig.open({ service: { faults: { startWith: { unexpected: [1, 2] } } } })
    const session = await rig.session(1)
    for (const payload of [undefined, null, 'x', { languageIdSource: 7, expiresInMs: 'soon' }, []]) {
      session.emit('connected', payload)
      session.emit('start', payload)
    }
    await rig.speak(0, 60)
    expect(await rig.count(0, 60)).toEqual(WHOLE)
    expect(rig.relay.metrics.sessionsDropped).toBe(0)
  })

  test('leaves nothing over', async () => {
    using watch = new LeakWatch()
    {
      await using rig = await Rig.open()
      await rig.speak(0, 30)
    }
    expect(watch).toBeDefined()
  })
})
