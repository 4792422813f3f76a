import { expect } from 'vitest'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type {
  ConnectionSink,
  TranslationResult,
  Translator,
} from '../../../src/core/translation/translator.ts'
import { pause, until } from '../until.ts'
import type { Checks } from './suite.ts'

/** A translator and its service, whose newest connection the test controls. */
export interface TranslatorSubject {
  readonly translator: Translator
  readonly service: {
    /** Fragments accepted so far, all connections together. */
    taken(): readonly Uint8Array[]
    /** Sends an unstable text, then the final one with its translation and a voice, then the end of the voice. */
    answer(): void
    /** Sends an error about data, after which the session continues. */
    complain(): void
    /** Breaks the connection. */
    drop(): void
    /** Rejects new connections permanently from now on. */
    refuse(): void
  }
  /** Maximum time for an answer (ms). */
  readonly patienceMs: number
  /** Time to wait for something that must not arrive (ms). */
  readonly quietMs: number
}

const request = { from: 'en-us', to: 'es-es', want: 'speech' } as const
const local: EndReason = { kind: 'hangup', by: 'local' }

/** Fragment `n`: 60 ms, different from all others. */
const fragment = (n: number) => Buffer.alloc(1_920, n + 1)

/** Receives one connection's events. */
function receiver({ patienceMs }: Pick<TranslatorSubject, 'patienceMs'>) {
  const events: string[] = []
  const results: TranslationResult[] = []
  const ends: EndReason[] = []
  const sink: ConnectionSink = {
    ready: () => void events.push('ready'),
    acked: (sequence, ok) => void events.push(`acked ${sequence} ${ok}`),
    result: result => {
      results.push(result)
      events.push(`result ${result.final ? 'final' : 'partial'}`)
    },
    endOfSpeech: () => void events.push('endOfSpeech'),
    fault: () => void events.push('fault'),
    ended: reason => {
      ends.push(reason)
      events.push('ended')
    },
  }
  const has = (event: string) => until(() => events.includes(event), patienceMs, event)
  return { sink, events, results, ends, has }
}

/** A connection that is ready. */
async function opened(subject: TranslatorSubject) {
  const got = receiver(subject)
  const connection = subject.translator.open(request, got.sink)
  await got.has('ready')
  return { connection, ...got }
}

/** Checks that every `Translator` passes. */
export const translatorChecks: Checks<TranslatorSubject> = {
  async 'opens at once, and sends nothing before it returns'(subject) {
    const { sink, events, has } = receiver(subject)
    const connection = subject.translator.open(request, sink)
    const known = [...events]
    await has('ready')
    connection.close()
    expect(known).toEqual([])
  },

  async 'is ready once, before anything else'(subject) {
    const { connection, events, has } = await opened(subject)
    subject.service.answer()
    await has('endOfSpeech')
    await pause(subject.quietMs)
    expect(events.filter(event => event === 'ready')).toHaveLength(1)
    expect(events[0]).toBe('ready')
    connection.close()
  },

  async 'accepts audio unchanged and in order, only when ready'(subject) {
    const { sink, events, has } = receiver(subject)
    const connection = subject.translator.open(request, sink)
    connection.send(fragment(99), 99)
    await has('ready')
    for (let n = 0; n < 20; n++) connection.send(fragment(n), n)
    await has('acked 19 true')
    expect(subject.service.taken().map(bytes => Buffer.from(bytes))).toEqual(
      Array.from({ length: 20 }, (_, n) => fragment(n)),
    )
    expect(events).not.toContain('acked 99 true')
    connection.close()
  },

  async 'acknowledges each fragment once, by its number'(subject) {
    const { connection, events, has } = await opened(subject)
    for (const sequence of [7, 8, 1_000_000]) connection.send(fragment(0), sequence)
    await has('acked 1000000 true')
    await pause(subject.quietMs)
    expect(events).toEqual(['ready', 'acked 7 true', 'acked 8 true', 'acked 1000000 true'])
    connection.close()
  },

  async 'reports results in order: growing text, final text and voice, the end of the voice'(subject) {
    const { connection, events, results, has } = await opened(subject)
    subject.service.answer()
    await has('endOfSpeech')
    const partial = results.findIndex(({ final }) => !final)
    const final = results.findIndex(result => result.final)
    expect(partial).toBe(0)
    expect(final).toBeGreaterThan(partial)
    expect(results[partial]?.audio).toBeUndefined()
    expect(results[final]).toMatchObject({ text: expect.any(String), translation: expect.any(String) })
    expect(results.some(({ audio }) => audio !== undefined && audio.length > 0)).toBe(true)
    expect(new Set(results.map(({ utterance }) => utterance)).size).toBe(1)
    expect(events.at(-1)).toBe('endOfSpeech')
    connection.close()
  },

  async 'continues after an error about data'(subject) {
    const { connection, has, ends } = await opened(subject)
    subject.service.complain()
    await has('fault')
    connection.send(fragment(0), 0)
    await has('acked 0 true')
    expect(ends).toEqual([])
    connection.close()
  },

  async 'ends once when the service is gone, and reports that a retry can help'(subject) {
    const { connection, events, ends, has } = await opened(subject)
    subject.service.drop()
    await has('ended')
    const known = events.length
    connection.send(fragment(0), 0)
    connection.close()
    await pause(subject.quietMs)
    expect(ends).toMatchObject([{ kind: 'failed', error: { retryable: true } }])
    expect(events.length).toBe(known)
  },

  async 'ends without ever being ready when it is rejected, and reports that a retry will not help'(subject) {
    subject.service.refuse()
    const { sink, events, ends, has } = receiver(subject)
    subject.translator.open(request, sink)
    await has('ended')
    await pause(subject.quietMs)
    expect(events).toEqual(['ended'])
    expect(ends).toMatchObject([{ kind: 'failed', error: { retryable: false } }])
  },

  async 'ends when it is closed, once, even with results in transit'(subject) {
    const { connection, events, ends, has } = await opened(subject)
    for (let n = 0; n < 5; n++) connection.send(fragment(n), n)
    subject.service.answer()
    connection.close()
    connection.close()
    await has('ended')
    const known = events.length
    connection.send(fragment(5), 5)
    await pause(subject.quietMs)
    expect(ends).toEqual([local])
    expect(events.length).toBe(known)
  },

  async 'can be closed before it is ready, and is never ready then'(subject) {
    const { sink, events, has } = receiver(subject)
    subject.translator.open(request, sink).close()
    await has('ended')
    await pause(subject.quietMs)
    expect(events).toEqual(['ended'])
  },

  async 'keeps connections apart'(subject) {
    const first = await opened(subject)
    const second = await opened(subject)
    subject.service.answer()
    await second.has('endOfSpeech')
    second.connection.close()
    await second.has('ended')
    first.connection.send(fragment(0), 0)
    await first.has('acked 0 true')
    expect(first.events).toEqual(['ready', 'acked 0 true'])
    first.connection.close()
  },

  async 'closes all its connections when it is closed, and can be closed again'(subject) {
    const first = await opened(subject)
    const second = await opened(subject)
    await subject.translator.close()
    await subject.translator.close()
    await Promise.all([first.has('ended'), second.has('ended')])
    expect([...first.ends, ...second.ends]).toEqual([local, local])
  },
}
