import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { collection, environment } from '../../scripts/collection/collection.ts'
import { OPERATIONS } from '../../src/service/server/http/operations.ts'
import { KEY, realService } from '../support/service/real-service.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = `${PROJECT}docs/collection/dragoman.postman_`
const NEWMAN = `${PROJECT}node_modules/newman/bin/newman.js`

interface Run {
  code: number
  output: string
}

/** Runs the collection like a person, in a separate process. */
function newman(url: string, key: string, ...more: string[]): Promise<Run> {
  const values = [`base_url=${url}`, `api_key=${key}`].flatMap(value => ['--env-var', value])
  const files = [`${FOLDER}collection.json`, '-e', `${FOLDER}environment.json`, '--working-dir', PROJECT]
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [NEWMAN, 'run', ...files, ...values, ...more, '--color', 'off'],
      { maxBuffer: 16 << 20 },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })
}

test.each([
  ['collection', collection],
  ['environment', environment],
] as const)('the %s in docs/ is the one that `npm run collection` makes', (name, make) => {
  expect(JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8'))).toEqual(make())
})

test('the collection has every operation that needs no session, and no key', () => {
  const text = readFileSync(`${FOLDER}collection.json`, 'utf8')
  for (const { path } of OPERATIONS) if (!path.includes('{')) expect(text).toContain(`{{base_url}}${path}"`)
  expect(text.match(/"{{api_key}}"/g)).toHaveLength(1)
})

const real = realService()

test('every request of it passes its checks', async () => {
  const { code, output } = await newman(real.url, KEY)
  expect(output).toMatch(/answers 200/)
  expect(code, output).toBe(0)
})
