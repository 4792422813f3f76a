import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Outbox } from '../../../../src/simulator/discord/voice/bot-session.ts'

const seqOf = (message: string | Buffer) =>
  typeof message === 'string' ? (JSON.parse(message) as { seq: number }).seq : message.readUInt16BE()

it('numbers text and bytes in one sequence, from 1', () => {
  const outbox = new Outbox()
  expect(JSON.parse(outbox.text(5, { speaking: 1 }))).toEqual({ op: 5, d: { speaking: 1 }, seq: 1 })
  expect(outbox.binary(27, Buffer.of(9, 8)).toString('hex')).toBe('00021b0908')
  outbox.skip(3)
  expect(seqOf(outbox.text(5, null))).toBe(6)
})

it('keeps exactly the unacknowledged messages, also when the numbers wrap', () => {
  fc.assert(
    fc.property(
      fc.nat(0xffff),
      fc.array(fc.oneof(fc.constant('say' as const), fc.nat(40)), { maxLength: 60 }),
      (from, steps) => {
        const outbox = new Outbox()
        outbox.skip(from)
        let kept: number[] = []
        for (const step of steps)
          if (step === 'say') kept.push(seqOf(outbox.text(5, null)))
          else {
            const seq = kept[step]
            outbox.acknowledge(seq ?? -1)
            if (seq !== undefined) kept = kept.slice(step + 1)
          }
        expect(outbox.unacknowledged().map(seqOf)).toEqual(kept)
        expect(kept.every(seq => seq > 0 && seq <= 0xffff)).toBe(true)
      },
    ),
  )
})

it('forgets the oldest of a thousand', () => {
  const outbox = new Outbox()
  for (let each = 0; each < 1_001; each++) outbox.binary(27, Buffer.of())
  expect(seqOf(outbox.unacknowledged()[0]!)).toBe(2)
})
