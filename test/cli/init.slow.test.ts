import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { init } from '../../src/cli/init/init.ts'
import { Terminal } from '../../src/cli/terminal.ts'

test('init checks the settings; a failed check is shown with the next step, and is no failure of init', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-init-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = join(folder, 'dragoman.yaml')
  let printed = ''
  const terminal = new Terminal({
    write: (text: string) => {
      printed += text
      return true
    },
  } as never)
  const phone = { number: '+15551234567', publicUrl: 'https://bridge.invalid' }
  await init({ config, program: 'dragoman', yes: true, doctor: true, ...phone }, terminal)
  expect(printed).toMatch(/✗.*public/)
  expect(printed).toContain(`Fix what failed, then check again: dragoman doctor --config ${config}`)
})
