import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { SpeechAudio } from '../../src/core/utterance/speech-audio.ts'
import { Utterance } from '../../src/core/utterance/utterance.ts'
import { goodCalls } from '../support/e2e/expect-good-calls.ts'

/** Maximum number of files in a path. */
const MOST = 12

/** On the stack, but without audio: they start the work on every tick and after each result, or contain its exceptions. */
const DRIVERS = [
  'core/model/contained-faults',
  'core/room/interpretation',
  'core/room/participant',
  'core/room/relay-ticks',
  'core/room/room',
  'core/utterance/decode-queue',
]
/** Only while translations are late. */
const LATE = ['core/playout/catch-up', 'core/playout/queued-utterance']

/** Only for what waited until a connection was open. */
const OPENING = [
  'core/translation/connection-pair',
  'core/translation/failover-connection',
  'service/client/translator',
]

/** Files of the product on the call stack, without their extension; arithmetic and general helpers do not count. */
function filesOnStack(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error
  // File names only: source maps would take a millisecond for each stack.
  Error.prepareStackTrace = (_, sites) => sites.map(site => site.getFileName() ?? '')
  Error.stackTraceLimit = 100
  const names = new Error('stack').stack as unknown as readonly string[]
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  const files = names.flatMap(name => /\/src\/([\w./-]+)\.ts/.exec(name)?.[1] ?? [])
  return files.filter(file => !/^(simulator|transcode|common)\//.test(file))
}

/** Gives `collect` the files that are on the stack when `method` is called, and passes the call on. */
function watch<T extends object>(
  prototype: T,
  method: keyof T & string,
  collect: (files: readonly string[]) => void,
): void {
  const original = prototype[method] as (...args: unknown[]) => unknown
  const spy = vi.spyOn(prototype as Record<string, (...args: unknown[]) => unknown>, method)
  spy.mockImplementation(function (this: T, ...args: unknown[]) {
    collect(filesOnStack())
    return original.apply(this, args)
  })
}

/** The first column of each table below `## The way of a frame` in docs/design/architecture.md. */
function documentedPaths(): string[][] {
  const page = readFileSync(new URL('../../docs/design/architecture.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('\n## The way of a frame\n'))
  const tables = section.slice(0, section.indexOf('\n## ', 1)).split('| file |').slice(1)
  return tables.map(text => Array.from(text.matchAll(/^\| `([^`]*)` \|/gm), ([, file = '']) => file))
}

afterEach(() => void vi.restoreAllMocks())

test('audio passes the documented files between the sockets of a phone and the service', async () => {
  const up = new Set<string>()
  const down = new Set<string>()
  const add = (path: Set<string>) => (files: readonly string[]) => {
    // What a listener says can set off what they hear, at any moment.
    if (path === down && files.includes('core/room/participant-uplink')) return
    for (const file of files) path.add(file)
  }
  watch(Socket.prototype, 'write', files => {
    if (files.includes('core/playout/playout')) add(down)(files)
    // From a phone's message to the service; the rest are pings and handshakes.
    else if (
      files.includes('service/client/session-socket') &&
      files.includes('bridges/websocket/guarded-socket')
    )
      add(up)(files)
  })
  watch(Utterance.prototype, 'write', add(down))
  watch(SpeechAudio.prototype, 'append', add(down))
  watch(SpeechAudio.prototype, 'frame', add(down))
  const calls = await goodCalls()
  try {
    await calls.undisturbed(async () => {})
  } finally {
    await calls.close()
  }
  const [inward = [], outward = []] = documentedPaths()
  for (const file of [...DRIVERS, ...LATE, ...OPENING]) down.delete(file)
  for (const file of OPENING) if (!inward.includes(file)) up.delete(file)
  expect([...up].sort()).toEqual(inward.toSorted())
  expect([...down].sort()).toEqual(outward.toSorted())
  expect(inward.length).toBeLessThanOrEqual(MOST)
  expect(outward.length).toBeLessThanOrEqual(MOST)
})
