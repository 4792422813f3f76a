import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CONNECT, standIn } from '../support/simulator/fake-bridge.ts'

const ROOT = new URL('../../', import.meta.url)

test('the page’s example of the REST API runs unchanged', async () => {
  const page = await readFile(new URL('simulator/README.md', ROOT), 'utf8')
  const example = Array.from(page.matchAll(/```ts\n([\s\S]*?)```/g), match => match[1] ?? '').find(code =>
    code.includes('TwilioSimulator'),
  )
  await using bridge = await standIn({ twiml: CONNECT })
  const code = example
    ?.replace('dragoman/simulator', new URL('simulator/index.ts', ROOT).href)
    .replace('http://127.0.0.1:8080', `http://127.0.0.1:${bridge.port}`)
    // The fake bridge has no TLS.
    .replace('listen({', 'listen({ allowInsecureStream: true,')
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  try {
    const file = join(folder, 'example.ts')
    await writeFile(file, code ?? '')
    await promisify(execFile)(process.execPath, [file])
  } finally {
    await rm(folder, { recursive: true })
  }
  expect(bridge.hooks).toMatchObject([{ fields: { CallStatus: 'in-progress' } }])
  expect(bridge.sockets).toHaveLength(1)
})
