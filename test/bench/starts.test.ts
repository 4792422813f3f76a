import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startCommand } from '../../bench/starts.ts'

const FILES = {
  root: '/project',
  packageJson: JSON.stringify({
    scripts: { start: 'node --max-semi-space-size=8  src/main.ts serve' },
    bin: { dragoman: 'dist/main.js' },
  }),
  dockerfile: 'FROM base\nENTRYPOINT ["node", "--some-flag", "/app/dist/main.js"]\nCMD ["serve"]\n',
}

test.each([
  ['npm', ['node', '--max-semi-space-size=8', '/project/src/main.ts', 'serve']],
  ['source', ['node', '/project/src/main.ts', 'serve']],
  ['installed', ['/project/dist/main.js', 'serve']],
  ['image', ['node', '--some-flag', '/project/dist/main.js', 'serve']],
] as const)('starts the bridge as documented: %s', (start, command) => {
  expect(startCommand(start, FILES)).toEqual(command)
})

test.each([['npm'], ['installed'], ['image']] as const)('fails without the command of %s', start => {
  expect(() => startCommand(start, { root: '/project', packageJson: '{}', dockerfile: '' })).toThrow(
    'there is no',
  )
})

test('finds all commands in this project', () => {
  const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const files = { root: '/', packageJson: text('package.json'), dockerfile: text('deploy/docker/Dockerfile') }
  for (const start of ['npm', 'source', 'installed', 'image'] as const)
    expect(startCommand(start, files).at(-1)).toBe('serve')
})
