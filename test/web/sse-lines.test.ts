import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SseLines } from '../../src/pages/page/event-stream.ts'
import { SSE_HEARTBEAT, sseEvent, sseRetry } from '../../src/web/event-stream.ts'

/** The stream in pieces that end at `cuts`. */
function read(stream: string, cuts: readonly number[] = []) {
  const lines = new SseLines()
  const ends = [...cuts.map(cut => cut % (stream.length + 1)), 0, stream.length].sort((a, b) => a - b)
  return ends.slice(1).flatMap((end, index) => lines.push(stream.slice(ends[index], end)))
}

describe('server-sent events', () => {
  test('of this server are parsed correctly, however the stream is split', () => {
    const event = fc.record({
      type: fc.constantFrom('caption', 'service', 'end'),
      id: fc.stringMatching(/^[\w-]{20}\.[0-9]{1,4}$/),
      data: fc.jsonValue(),
    })
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (events, cuts) => {
          const sent = events.map(({ type, id, data }) => sseEvent(type, data, id) + SSE_HEARTBEAT)
          const got = read(sseRetry(2_000) + sent.join(''), cuts)
          expect(got.map(({ data, ...rest }) => ({ ...rest, data: JSON.parse(data) }))).toEqual(
            events.map(({ type, id, data }) => ({ type, id, data: JSON.parse(JSON.stringify(data)) })),
          )
        },
      ),
      { seed: 7 },
    )
  })

  test('of other servers too: any line ending, fields without a space, several data lines', () => {
    expect(read('event:a\r\ndata:1\r\ndata: 2\r\n\r\ndata:3\r\rdata\n\n')).toEqual([
      { type: 'a', data: '1\n2', id: '' },
      { type: 'message', data: '3', id: '' },
      { type: 'message', data: '', id: '' },
    ])
  })

  test('keep the latest ID and are ignored without data', () => {
    expect(read('id: 1\ndata: x\n\nevent: empty\n\nid: 2\n\ndata: y\n\nid: a\0b\ndata: z\n\n')).toEqual([
      { type: 'message', data: 'x', id: '1' },
      { type: 'message', data: 'y', id: '2' },
      { type: 'message', data: 'z', id: '2' },
    ])
  })

  test('that are incomplete are ignored', () => {
    expect(read('data: whole\n\ndata: hal')).toEqual([{ type: 'message', data: 'whole', id: '' }])
  })
})
