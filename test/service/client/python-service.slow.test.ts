import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { TranslationResult } from '../../../src/core/translation/translator.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { until } from '../../support/until.ts'

const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('../../support/service/sts_server.py', import.meta.url))
const PATIENCE_MS = 10_000

/** Debian: python3-socketio, python3-aiohttp. `npm test` installs them where it can. */
const IS_INSTALLED = spawnSync(PYTHON, ['-c', 'import socketio, aiohttp']).status === 0

/** Starts the server; resolves to its address. */
async function pythonService() {
  const child = spawn(PYTHON, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: `http://127.0.0.1:${Number(chunk.toString())}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

describe.skipIf(!IS_INSTALLED)('a service in Python (python-socketio)', () => {
  test('acknowledges every fragment, and its results arrive whole', async () => {
    await using service = await pythonService()
    const translator = new ServiceTranslator({ url: service.url, apiKey: 'key' })
    const acks: [number, boolean][] = []
    const results: TranslationResult[] = []
    let ready = false
    let ends = 0
    const connection = translator.open(
      { from: 'en-us', to: 'es-es', want: 'speech' },
      {
        ready: () => {
          ready = true
        },
        acked: (sequence, ok) => void acks.push([sequence, ok]),
        result: result => void results.push(result),
        endOfSpeech: () => void ends++,
        fault: () => {},
        ended: () => {},
      },
    )
    await until(() => ready, PATIENCE_MS, 'start')
    const fragments = Array.from({ length: 100 }, (_, n) =>
      new Uint8Array(n % 2 === 0 ? 1_920 : 5_760).fill(n),
    )
    for (const [sequence, bytes] of fragments.entries()) connection.send(bytes, sequence)
    await until(() => acks.length === 100 && ends === 10, PATIENCE_MS, 'all acknowledgments and ends')
    expect(acks).toEqual(fragments.map((_, sequence) => [sequence, true]))
    expect(results.map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${(n + 1) * 10} fragments`),
    )
    expect(results.map(({ audio }) => audio?.[0])).toEqual(Array.from({ length: 10 }, (_, n) => n * 10 + 9))
    expect(results[0]?.translation).toBe('¡Así!')
    await translator.close()
  })

  test('refuses a wrong key', async () => {
    await using service = await pythonService()
    const translator = new ServiceTranslator({ url: service.url, apiKey: 'wrong' })
    const nothing = () => {}
    const reason = await new Promise(resolve => {
      translator.open(
        { from: 'en-us', to: 'es-es', want: 'speech' },
        {
          ready: nothing,
          acked: nothing,
          result: nothing,
          endOfSpeech: nothing,
          fault: nothing,
          ended: resolve,
        },
      )
    })
    expect(reason).toMatchObject({ kind: 'failed' })
    await translator.close()
  })
})
