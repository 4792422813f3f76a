import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = new URL('../../../', import.meta.url)
const page = () => readFile(new URL('simulator/README.md', ROOT), 'utf8')

test('the page’s example runs unchanged', async () => {
  const blocks = Array.from((await page()).matchAll(/```ts\n([\s\S]*?)```/g), ([, block = '']) => block)
  const example = blocks.find(block => block.includes('DiscordSimulator')) ?? ''
  const code = example
    .replace("'dragoman/simulator'", `'${new URL('simulator/index.ts', ROOT).href}'`)
    // The file is in a folder without packages.
    .replace(/'(discord\.js|@discordjs\/voice)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
  expect(code).toContain('file://')
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  try {
    const file = join(folder, 'example.ts')
    await writeFile(file, `${code}\nconsole.log('through')\n`)
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 25_000 })
    expect(stdout).toBe('through\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})
