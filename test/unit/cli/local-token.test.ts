import { stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { leaveLocalToken, localToken } from '../../../src/cli/local-token.ts'

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
