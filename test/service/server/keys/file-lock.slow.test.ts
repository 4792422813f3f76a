import { writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { withLock } from '../../../../src/service/server/keys/file-lock.ts'
import { keyFilePath } from '../../../support/service/key-files.ts'

const NO_KOFFI = "export default { load() { throw new Error('not on this system') } }"
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'koffi'
      ? { url: `data:text/javascript,${encodeURIComponent(NO_KOFFI)}`, shortCircuit: true }
      : next(specifier, context),
})

async function advanced<T>(clock: FakeClock, work: Promise<T>): Promise<T | Error> {
  const attempt = work.catch((error: Error) => error)
  const settled = attempt.then(() => true)
  while (!(await Promise.race([settled, new Promise(resolve => setImmediate(resolve, false))])))
    clock.advance(20)
  return attempt
}

test('without system locks, uses a lock file, and names a stale one with its process', async () => {
  const path = await keyFilePath()
  expect(await withLock(path, new FakeClock(), async () => 'done')).toBe('done')
  await writeFile(`${path}.lock`, '999999999')
  const clock = new FakeClock()
  const error = await advanced(
    clock,
    withLock(path, clock, async () => 'done'),
  )
  expect(clock.now()).toBeGreaterThan(5_000)
  expect(error).toMatchObject({
    code: 'CONFIG',
    message: expect.stringMatching(/keys\.json\.lock.*has ended/),
  })
})
