import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LiveView } from '../../../src/cli/call/live-view.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

const lost = { kind: 'failed', error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }) } as const
let r: Awaited<ReturnType<typeof rooms>>
let view: LiveView
let written: string

beforeEach(async () => {
  r = await rooms()
  written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  const out = { isTTY: true, columns: 100, write }
  view = new LiveView(r.relay, new Terminal(out as unknown as ConstructorParameters<typeof Terminal>[0]))
  view.start()
  r.join('anna', { speaks: 'en-us', hears: 'es-es' })
  await r.run(100)
})
afterEach(() => r.relay.close())

/** Permanent lines. */
const lines = () =>
  written
    .split('\n')
    .slice(0, -1)
    .map(line => line.split('\r\u001b[2K').at(-1)?.trim())
    .filter(Boolean)

describe('the live view', () => {
  test('shows the level, live captions in both languages, and the latency', async () => {
    r.say('anna', sine(440, 1_000))
    await r.run(300)
    expect(written).toMatch(/▮{10,}▯/)
    r.connection('en-us', 'es-es').sink.result({ utterance: '1', final: false, text: 'good mor' })
    expect(written).toContain('… good mor')
    await r.run(1_000)
    r.answer('en-us', 'es-es', 1_800, 400)
    await r.run(800)
    expect(lines()).toEqual([
      'en-us  en-us 1',
      'es-es  es-es 1',
      expect.stringMatching(/^0\.\d\d s from the end of speech/),
    ])
    const anna = r.legs.get('anna')!
    anna.uplink?.marked(anna.marks[0]!.name)
    expect(view.summary).toMatchObject({ begun: 1, heard: 1, dropped: 0 })
    expect(view.summary.captions).toHaveLength(1)
    expect(view.summary.latenciesMs).toHaveLength(1)
  })

  test('reports once that the service is unavailable, despite several retries, and once that it has recovered', async () => {
    r.say('anna', sine(440, 30_000))
    await r.run(500)
    r.translator.autoReady = false
    r.translator.last.drop(lost)
    for (let n = 0; n < 10; n++) {
      const count = r.translator.connections.length
      while (r.translator.connections.length === count) await r.run(20)
      r.translator.last.drop(lost)
    }
    expect(lines()).toEqual([expect.stringContaining('translation unavailable (es-es)')])
    r.translator.autoReady = true
    await r.run(2_000)
    expect(lines()).toEqual([
      expect.stringContaining('translation unavailable (es-es)'),
      expect.stringContaining('translation restored (es-es)'),
    ])
  })

  test('reports that a service rejects the session', async () => {
    r.say('anna', sine(440, 30_000))
    await r.run(500)
    r.translator.autoReady = false
    r.translator.last.drop({ kind: 'failed', error: new BridgeError('SERVICE_REFUSED', 'no') })
    await r.run(2_000)
    expect(lines()).toEqual([expect.stringContaining('translation unavailable (es-es)')])
  })

  test('stops updating once it is disposed', async () => {
    view[Symbol.dispose]()
    const before = written
    r.say('anna', sine(440, 500))
    r.answer('en-us', 'es-es', 1_800, 200)
    await r.run(600)
    expect(written).toBe(before)
    expect(r.relay.observer.wants('level')).toBe(false)
  })
})
