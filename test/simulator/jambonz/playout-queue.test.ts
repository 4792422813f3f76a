import { describe, expect, it } from 'vitest'
import { PlayoutQueue } from '../../../src/simulator/jambonz/playout-queue.ts'

function queue(rate = 8_000, callRate = 8_000) {
  const echoes: string[] = []
  const made = new PlayoutQueue({ rate, callRate, echo: (name, event) => echoes.push(`${name} ${event}`) })
  return { made, echoes }
}

const audio = (ms: number) => new Int16Array(ms * 8).fill(1_000)
const audible = (pcm: Int16Array | undefined) => pcm?.some(sample => sample !== 0) ?? false

describe('the playout of jambonz', () => {
  it('holds back 160 ms at first, and 80 ms from then on', () => {
    const { made } = queue()
    made.add(audio(140))
    expect(audible(made.next(160))).toBe(false)
    made.add(audio(20))
    for (let frame = 0; frame < 8; frame++) expect(audible(made.next(160))).toBe(true)
    made.add(audio(60))
    expect(audible(made.next(160))).toBe(false)
    made.add(audio(20))
    expect(audible(made.next(160))).toBe(true)
  })

  it('echoes a mark when the audio before it was played', () => {
    const { made, echoes } = queue()
    made.add(audio(160))
    made.mark('a')
    for (let frame = 0; frame < 8; frame++) made.next(160)
    expect(echoes).toEqual([])
    made.next(160)
    expect(echoes).toEqual(['a playout'])
  })

  it('reads samples of −1 as marks, and drops them', () => {
    const { made, echoes } = queue()
    made.mark('a')
    const pcm = audio(160)
    pcm[0] = -1
    made.add(pcm)
    made.mark('b')
    made.add(audio(80))
    made.next(160)
    // The mark `a`, and `b` far too early.
    expect(echoes).toEqual(['a playout', 'b playout'])
  })

  it('echoes all marks as cleared', () => {
    const { made, echoes } = queue()
    made.mark('a')
    made.add(audio(160))
    made.mark('b')
    made.clear()
    expect(echoes).toEqual(['a cleared', 'b cleared'])
    expect(audible(made.next(160))).toBe(false)
  })

  it('accepts 30 marks', () => {
    const { made } = queue()
    for (let mark = 0; mark < 30; mark++) expect(made.mark(String(mark))).toBe(true)
    expect(made.mark('one more')).toBe(false)
  })
})
