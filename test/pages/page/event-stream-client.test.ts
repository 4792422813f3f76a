import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStreamClient } from '../../../src/pages/page/event-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client of a server whose answers the test gives. */
function connected(leastMs: number | 'never' = 0) {
  const answers: PromiseWithResolvers<Response>[] = []
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const seen: string[] = []
  const client = new EventStreamClient({
    open: (lastId, signal) => {
      asked.push(lastId)
      signals.push(signal)
      const answer = Promise.withResolvers<Response>()
      signal.addEventListener('abort', () => answer.reject(new Error('aborted')))
      answers.push(answer)
      return answer.promise
    },
    silenceMs: 5_000,
    reconnect: { firstMs: 400, maxMs: 5_000 },
    events: {
      opened: () => seen.push('opened'),
      event: ({ type, data }) => seen.push(`${type} ${data}`),
      lost: error => {
        seen.push(error === undefined ? 'ended' : (error as Error).message)
        return leastMs === 'never' ? undefined : leastMs
      },
    },
  })
  /** Answers the latest request with a stream, and returns its writer. */
  const stream = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    signals.at(-1)?.addEventListener('abort', () => void writer.abort(new Error('silent')).catch(() => {}))
    answers.at(-1)?.resolve(new Response(readable))
    return {
      write: (text: string) => writer.write(new TextEncoder().encode(text)),
      close: () => writer.close(),
    }
  }
  return { client, answers, asked, seen, stream, settled: () => vi.advanceTimersByTimeAsync(0) }
}

test('continues after the last event on a new connection', async () => {
  const { client, asked, seen, stream, settled } = connected()
  client.start()
  const first = stream()
  await first.write('id: 7\nevent: a\ndata: 1\n\n')
  await first.close()
  await settled()
  expect(seen).toEqual(['opened', 'a 1', 'ended'])
  await vi.advanceTimersByTimeAsync(600)
  expect(asked).toEqual(['', '7'])
})

test('reconnects after a silence, an interruption and a rejection', async () => {
  const { client, answers, asked, seen, stream, settled } = connected()
  client.start()
  stream()
  await settled()
  await vi.advanceTimersByTimeAsync(5_001)
  expect(seen.splice(0)).toEqual(['opened', 'silent'])
  await vi.advanceTimersByTimeAsync(600)
  answers.at(-1)?.reject(new Error('rejected'))
  await settled()
  expect(seen).toEqual(['rejected'])
  await vi.advanceTimersByTimeAsync(1_200)
  expect(asked).toHaveLength(3)
})

test('waits as long as it is told, and hurries when asked to', async () => {
  const { client, answers, asked, settled } = connected(10_000)
  client.start()
  answers[0]?.reject(new Error('busy'))
  await settled()
  await vi.advanceTimersByTimeAsync(9_999)
  expect(asked).toHaveLength(1)
  client.hurry()
  expect(asked).toHaveLength(2)
  client.hurry()
  expect(asked).toHaveLength(2)
})

test('stays disconnected when the loss is final, and after a stop', async () => {
  const final = connected('never')
  final.client.start()
  final.answers[0]?.reject(new Error('forbidden'))
  await final.settled()
  await vi.advanceTimersByTimeAsync(60_000)
  final.client.hurry()
  expect(final.asked).toHaveLength(1)

  const stopped = connected()
  stopped.client.start()
  stopped.client.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  stopped.client.hurry()
  expect([stopped.seen, stopped.asked]).toEqual([[], ['']])
})
