import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { leaveLocalToken, localToken } from '../../src/cli/local-token.ts'

/** Not listened on; only the file name is derived from them. */
let port = 20_000 + (process.pid % 20_000)

describe('the token of a bridge without an account', () => {
  test('is found by its port, with the address it signs for, while the bridge runs', async () => {
    const { leave, at } = fresh()
    const left = await leave('secret')
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(await localToken(at(host))).toEqual({ token: 'secret', key: 'a-key', address: at('127.0.0.1') })
    expect(await localToken(`${at('localhost')}/some/path?x=1`)).toMatchObject({ token: 'secret' })
    await left[Symbol.asyncDispose]()
    await left[Symbol.asyncDispose]()
    expect(await localToken(at('localhost'))).toBeUndefined()
  })

  test('is readable by this user only', async () => {
    const { leave, number } = fresh()
    await using _left = await leave('secret')
    const folder = join(tmpdir(), `dragoman-${userInfo().uid}`)
    expect((await stat(folder)).mode & 0o077).toBe(0)
    expect((await stat(join(folder, `${number}.token`))).mode & 0o077).toBe(0)
  })

  test('replaces the file of a bridge that crashed', async () => {
    const { leave, at } = fresh()
    await leave('old')
    await using _left = await leave('new')
    expect(await localToken(at('localhost'))).toMatchObject({ token: 'new' })
  })

  test.each([
    ['a file', async (place: string) => writeFile(place, '')],
    [
      'a folder that others can write',
      async (place: string) => {
        await mkdir(place)
        await chmod(place, 0o777)
        await writeFile(join(place, '8080.token'), 'planted')
      },
    ],
    [
      'a link to another folder',
      async (place: string) => {
        await mkdir(`${place}-real`, { mode: 0o700 })
        await writeFile(join(`${place}-real`, '8080.token'), 'planted')
        await symlink(`${place}-real`, place)
      },
    ],
  ])('is neither written to nor read from %s in the place of its folder', async (_what, plant) => {
    const temporary = await mkdtemp(join(tmpdir(), 'dragoman-token-test-'))
    onTestFinished(() => rm(temporary, { recursive: true }))
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    const place = join(temporary, `dragoman-${userInfo().uid}`)
    await plant(place)
    expect(await localToken('http://localhost:8080')).toBeUndefined()
    await expect(leaveLocalToken(8080, { token: 'secret' })).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining(`remove ${place}, or set TMPDIR`),
    })
  })

  test.each([
    'http://bridge.example.com:8080',
    'http://127.0.0.1.example.com',
    'http://localhost:1',
    'not an address',
    '',
  ])('is not sent to %s', async server => {
    expect(await localToken(server)).toBeUndefined()
  })
})

/** A separate port for each test. */
function fresh() {
  const number = ++port
  return {
    number,
    leave: (token: string) => leaveLocalToken(number, { token, key: 'a-key' }),
    at: (host: string) => `http://${host}:${number}`,
  }
}
