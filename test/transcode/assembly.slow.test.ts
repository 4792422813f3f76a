import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileAssembly, MODULES } from '../../scripts/assembly.ts'

test.each(MODULES)('$target is what $source compiles to (npm run assembly)', module => {
  const committed = readFileSync(new URL(`../../${module.target}`, import.meta.url))
  expect(Buffer.from(compileAssembly(module)).equals(committed)).toBe(true)
})
