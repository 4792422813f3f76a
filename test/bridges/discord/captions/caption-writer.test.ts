import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { CaptionWriter } from '../../../../src/bridges/discord/captions/caption-writer.ts'
import { FakeChat, settled } from '../../../support/discord/fake-chat.ts'

function started() {
  const clock = new FakeClock(1_000)
  const chat = new FakeChat(clock)
  const refused: number[] = []
  const writer = new CaptionWriter({ chat, clock, onNoAccess: code => refused.push(code) })
  const want = (turn: number, text: string, final = false) => writer.want(turn, [{ content: text }], final)
  const run = async (ms: number) => {
    await settled()
    for (let t = 0; t < ms; t += 100) {
      clock.advance(100)
      await settled()
    }
  }
  return { clock, chat, writer, refused, want, run }
}

describe('a caption writer', () => {
  it('sends a message at the first partial and edits it with the newest version only', async () => {
    const { chat, want, run, writer } = started()
    want(1, 'a')
    await run(0)
    expect(chat.texts).toEqual(['a'])
    for (const text of ['a b', 'a b c', 'a b c d']) want(1, text)
    await run(1_300)
    expect(chat.requests.map(({ what, text }) => `${what} ${text}`)).toEqual(['send a', 'edit a b c d'])
    expect(writer.dropped).toBe(2)
  })

  it('edits partial text at most every 1.2 s per channel', async () => {
    const { chat, want, run } = started()
    for (let n = 0; n < 100; n++) {
      want(1 + (n % 3), `version ${n}`)
      await run(100)
    }
    const gaps = chat.requests.map(({ at }, n) => at - (chat.requests[n - 1]?.at ?? Number.NEGATIVE_INFINITY))
    expect(Math.min(...gaps.slice(3))).toBeGreaterThanOrEqual(1_200)
    expect(chat.requests.length).toBeGreaterThan(6)
  })

  it('writes final text immediately', async () => {
    const { chat, want, run } = started()
    want(1, 'a')
    await run(0)
    want(1, 'a b', true)
    await run(0)
    expect(chat.texts).toEqual(['a b'])
  })

  it.each([
    [1.5, 300],
    [3, 100],
  ])(
    'loses no final text at %d finished turns a second, and keeps up',
    { timeout: 20_000 },
    async (rate, seconds) => {
      const { chat, want, run, writer, clock } = started()
      const saidAt: number[] = []
      let worstMs = 0
      let read = 0
      const look = () => {
        const all = chat.texts.join('\n')
        for (; read < saidAt.length && all.includes(`<${read} final`); read++)
          worstMs = Math.max(worstMs, clock.now() - saidAt[read]!)
      }
      for (let turn = 0; turn < rate * seconds; turn++) {
        want(turn, `<${turn} partial ${'x'.repeat(60)}>`)
        await run(Math.round(500 / rate / 100) * 100)
        want(turn, `<${turn} final ${'x'.repeat(60)}>`, true)
        saidAt.push(clock.now())
        await run(Math.round(500 / rate / 100) * 100)
        look()
      }
      for (let n = 0; n < 30; n++) {
        await run(500)
        look()
      }
      expect(read).toBe(rate * seconds)
      expect(worstMs).toBeLessThan(6_000)
      expect(writer.waiting).toBe(0)
      const finals = [...chat.texts.join('\n').matchAll(/<(\d+) final/g)].map(([, turn]) => Number(turn))
      expect(new Set(finals).size).toBe(finals.length)
      for (const text of chat.texts) expect(text.length).toBeLessThanOrEqual(2_000)
      // Turns that share a message are in order, and so are the messages.
      const shared = chat.texts.map(text =>
        [...text.matchAll(/<(\d+) final/g)].map(([, turn]) => Number(turn)),
      )
      for (const turns of shared) expect(turns).toEqual(turns.toSorted((a, b) => a - b))
      const starts = shared.map(turns => turns[0]!)
      expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    },
  )

  it('changes and removes one of several turns that share a message', async () => {
    const { chat, want, run, writer } = started()
    for (let n = 1; n <= 5; n++) want(n, `first ${n}`, true)
    await run(0)
    for (let n = 6; n <= 12; n++) want(n, `turn ${n}`, true)
    writer.drop(7)
    await run(10_000)
    const shared = () => chat.texts.find(text => text.includes('turn 9'))
    expect(shared()).toMatch(/turn 9\n.*turn 10/)
    expect(chat.texts.join()).not.toContain('turn 7')
    want(10, 'turn 10 and another language', true)
    writer.withdraw(9)
    await run(10_000)
    expect(chat.texts.join()).not.toContain('turn 9')
    expect(chat.texts.join()).toContain('turn 10 and another language')
    // A turn that outgrows the shared message stays unchanged.
    want(10, 'x'.repeat(1_990), true)
    await run(10_000)
    expect(chat.texts.join()).toContain('turn 10 and another language')
    expect(writer.waiting).toBe(0)
  })

  it('sends at most 5 requests in 5 s under load, and loses no final text', async () => {
    const { chat, want, run } = started()
    for (let n = 1; n <= 20; n++) {
      want(n, `partial ${n}`)
      want(n, `final ${n}`, true)
    }
    await run(25_000)
    for (const { at, what } of chat.requests) {
      const near = chat.requests.filter(each => each.what === what && each.at >= at && each.at < at + 5_000)
      expect(near.length).toBeLessThanOrEqual(5)
    }
    expect(chat.texts.join('\n').split('\n')).toEqual(Array.from({ length: 20 }, (_, n) => `final ${n + 1}`))
  })

  it('starts no message for a partial while many wait', async () => {
    const { chat, want, run } = started()
    for (let n = 1; n <= 10; n++) want(n, `partial ${n}`)
    await run(2_000)
    expect(chat.texts).toEqual(['partial 1'])
    for (let n = 1; n <= 10; n++) want(n, `final ${n}`, true)
    await run(20_000)
    expect(chat.texts.join('\n').split('\n')).toEqual(Array.from({ length: 10 }, (_, n) => `final ${n + 1}`))
  })

  it('drops partials first when too many wait', async () => {
    const { chat, want, run, writer } = started()
    chat.held = true
    want(0, 'first', true)
    for (let n = 1; n <= 60; n++) want(n, `turn ${n}`, n % 2 === 0)
    expect(writer.waiting).toBeLessThanOrEqual(41)
    chat.held = false
    await chat.release()
    await run(80_000)
    const texts = chat.texts.join('\n').split('\n').slice(1)
    expect(texts).toEqual(Array.from({ length: 30 }, (_, n) => `turn ${2 * n + 2}`))
  })

  it('does not restore deleted messages', async () => {
    const { chat, want, run } = started()
    want(1, 'a')
    await run(0)
    chat.messages.clear()
    want(1, 'a b')
    await run(3_000)
    want(1, 'a b c', true)
    await run(3_000)
    expect(chat.texts).toEqual([])
    expect(chat.requests.length).toBe(2)
  })

  it('waits for the time that a rate limit demands', async () => {
    const { chat, want, run } = started()
    chat.next.push({ kind: 'limited', retryAfterMs: 7_000 })
    want(1, 'a', true)
    await run(6_900)
    expect(chat.texts).toEqual([])
    await run(200)
    expect(chat.texts).toEqual(['a'])
  })

  it('retries final text after a failure, a limited number of times', async () => {
    const { chat, want, run, writer } = started()
    chat.next.push({ kind: 'failed' })
    want(1, 'a', true)
    await run(2_000)
    expect(chat.texts).toEqual(['a'])
    for (let n = 0; n < 10; n++) chat.next.push({ kind: 'failed' })
    want(2, 'b', true)
    await run(60_000)
    expect(chat.requests.filter(({ text }) => text === 'b').length).toBe(4)
    expect(writer.waiting).toBe(0)
  })

  it('reports missing access and retries final text later', async () => {
    const { chat, want, run, refused } = started()
    chat.next.push({ kind: 'no-access', code: 50_013 })
    want(1, 'a')
    await run(1_000)
    want(1, 'a b', true)
    await run(20_000)
    expect([refused, chat.requests.length]).toEqual([[50_013], 1])
    await run(10_000)
    expect(chat.texts).toEqual(['a b'])
  })

  it('writes a new message when the old one cannot be edited', async () => {
    const { chat, want, run } = started()
    want(1, 'a')
    await run(2_000)
    chat.next.push({ kind: 'message-old' })
    want(1, 'a b')
    await run(2_000)
    want(1, 'a b c', true)
    await run(2_000)
    expect(chat.texts).toEqual(['a', 'a b c'])
  })

  it('uses as many messages as a long turn needs', async () => {
    const { chat, writer, run } = started()
    writer.want(1, [{ content: 'one' }, { content: 'two' }], false)
    await run(3_000)
    expect(chat.texts).toEqual(['one', 'two'])
    writer.want(1, [{ content: 'only' }], true)
    await run(3_000)
    expect(chat.texts).toEqual(['only'])
  })

  it('removes withdrawn turns', async () => {
    const { chat, writer, want, run } = started()
    want(1, 'a')
    want(2, 'b')
    await run(2_000)
    writer.withdraw(1)
    writer.withdraw(7)
    await run(2_000)
    expect(chat.texts).toEqual(['b'])
    want(3, 'c')
    writer.withdraw(3)
    await run(2_000)
    expect(chat.texts).toEqual(['b'])
    expect(writer.waiting).toBe(0)
  })

  it('continues in another chat', async () => {
    const { chat, writer, want, run, clock } = started()
    const other = new FakeChat(clock)
    want(1, 'a')
    await run(0)
    want(1, 'a b', true)
    want(2, 'c', true)
    writer.moveTo(other)
    await run(5_000)
    expect([chat.texts[0], other.texts.at(-1)]).toEqual(['a b', 'c'])
  })

  it('writes final text before it closes, within the given time', async () => {
    const { chat, writer, want, run } = started()
    want(1, 'a', true)
    want(2, 'b')
    const closed = writer.close(2_000)
    await run(100)
    await closed
    expect(chat.texts).toEqual(['a'])
    want(3, 'c', true)
    await run(2_000)
    expect(chat.texts).toEqual(['a'])
  })

  it('does not wait for a chat that does not answer', async () => {
    const { chat, writer, want, run } = started()
    chat.held = true
    want(1, 'a', true)
    let over = false
    void writer.close(2_000).then(() => {
      over = true
    })
    await run(1_900)
    expect(over).toBe(false)
    await run(200)
    expect(over).toBe(true)
  })

  it('always ends with every final version visible, despite temporary failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.integer({ min: 0, max: 20 })), {
          maxLength: 30,
        }),
        fc.array(fc.constantFrom('failed', 'limited'), { maxLength: 3 }),
        async (versions, failures) => {
          const { chat, want, run } = started()
          for (const kind of failures)
            chat.next.push(kind === 'failed' ? { kind } : { kind: 'limited', retryAfterMs: 500 })
          const finals = new Map<number, string>()
          for (const [n, [turn, final, pause]] of versions.entries()) {
            if (finals.has(turn)) continue
            want(turn, `${turn}: ${n}`, final)
            if (final) finals.set(turn, `${turn}: ${n}`)
            await run(pause * 100)
          }
          await run(30_000)
          const lines = chat.texts.flatMap(text => text.split('\n'))
          expect(lines).toEqual(expect.arrayContaining(Array.from(finals.values())))
        },
      ),
      { seed: 6, numRuns: 60 },
    )
  })
})
