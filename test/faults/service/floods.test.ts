import { describe, expect, test } from 'vitest'
import { pause, until } from '../../helpers/until.ts'
import { PATIENCE_MS, Rig, WHOLE } from './rig.ts'

describe.concurrent('a service that never stops talking', () => {
  test.each<[string, (n: number) => [string, unknown]]>([
    ['results', n => ['result', { id: `u${n}`, final: true, text: 'x'.repeat(3_000) }]],
    ['results without end', n => ['result', { id: `u${n}`, final: false, text: 'x' }]],
    ['invalid voices', n => ['result', { id: `u${n}`, final: true, file: { data: Buffer.alloc(200) } }]],
    ['ends', n => ['endSynth', { id: `u${n}` }]],
    ['starts', n => ['start', n]],
  ])('C49 G55 a flood of %s ends its connection, and no other call notices', async (_what, event) => {
    await using one = await Rig.open()
    await using two = await Rig.open()
    const first = await one.session(1)
    await two.session(1)
    const speaking = two.speak(10_000, 10_060)
    let sent = 0
    while (sent < 40_000 && first.connected) {
      for (let n = 0; n < 500; n++) first.emit(...event(sent++))
      await pause(5)
    }
    await until(() => !first.connected, PATIENCE_MS, 'that the flood is ended')
    await speaking
    expect(await two.count(10_000, 10_060)).toEqual(WHOLE)
    // Messages that arrive at once, and further messages during reading.
    expect(one.captions.length).toBeLessThan(7_000)
    expect(one.relay.metrics.sessionsDropped).toBe(1)
    expect(two.relay.metrics.sessionsDropped).toBe(0)
  })
})
