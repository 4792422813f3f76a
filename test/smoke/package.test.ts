import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENV, PROJECT, run } from '../support/e2e/packed.ts'

/** Busy machine: loading everything, and npm. */
const PATIENCE_MS = 90_000
const { version, bin, exports } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  version: string
  bin: Record<string, string>
  exports: Record<string, string | { types: string; default: string }>
}
const entries = Object.entries(exports).flatMap(([name, files]) =>
  typeof files === 'string' ? [] : [{ name: name.replace('.', 'dragoman'), ...files }],
)
/** The source of a compiled file: the compiler keeps names and folders. */
const source = (file: string) =>
  file
    .replace(/^(\.\/)?dist\/(?!simulator\/)/, 'src/')
    .replace(/^(\.\/)?dist\//, '')
    .replace(/(\.d\.ts|\.js)$/, '.ts')
const node = (...args: string[]) =>
  run(process.execPath, args, { cwd: PROJECT, env: ENV, timeout: PATIENCE_MS })

// Compiling takes half a minute: test/package/package.slow.test.ts installs the real package.
test('everything that the package names can be compiled, packed, imported and run', async () => {
  const named = [...Object.values(bin), ...entries.flatMap(entry => [entry.types, entry.default])]
  expect(named.filter(file => !existsSync(join(PROJECT, source(file))))).toEqual([])

  const script = `for (const name of ${JSON.stringify(entries.map(({ name }) => name))})
    console.log(name, Object.keys(await import(name)).length > 0)`
  const [imported, answered, packed] = await Promise.all([
    node('--conditions=dragoman-source', '--input-type=module', '--eval', script),
    node(source(bin.dragoman ?? ''), '--version'),
    run('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      ...{ cwd: PROJECT, env: ENV, timeout: PATIENCE_MS },
    }),
  ])
  expect(imported.stdout.trim().split('\n')).toEqual(entries.map(({ name }) => `${name} true`))
  expect([answered.stdout, answered.stderr]).toEqual([`${version}\n`, ''])
  expect(readFileSync(join(PROJECT, source(bin.dragoman ?? '')), 'utf8')).toMatch(
    /^#!\/usr\/bin\/env -S node /,
  )
  const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  for (const path of [
    'README.md',
    'LICENSE',
    'dragoman.example.yaml',
    'scripts/setup.mjs',
    'recordings/README.md',
  ])
    expect(paths).toContain(path)
  expect(paths.filter(path => /^(src|test|bench)\/|\.test\.|(^|\/)\.env|node_modules/.test(path))).toEqual([])
})
