import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTrouble, httpAddress } from '../../../src/cli/call/call.ts'
import { CommandError, failure } from '../../../src/cli/errors.ts'
import { assertWritable } from '../../../src/cli/terminal.ts'
import { BridgeError } from '../../../src/common/errors.ts'

/** Node’s error if a server cannot listen there. */
function listenError(port: number, host: string): Promise<Error> {
  return new Promise(resolve => createServer().once('error', resolve).listen(port, host))
}

describe('a failure is reported', () => {
  test('in its own words if it is expected, and with its stack if it is a bug', () => {
    expect(failure(new CommandError('fix it'))).toBe('fix it')
    expect(failure(new RangeError('too much'))).toBe('too much')
    expect(failure(new BridgeError('CONFIG', 'port: found 0'))).toBe('port: found 0')
    expect(failure(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBe('ENOENT: no such file')
    expect(failure(new TypeError('a bug'))).toMatch(/^TypeError: a bug\n +at /)
    expect(failure('odd')).toBe('odd')
  })

  test('with the port and the option if the port is in use, also from the service process', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const error = await listenError(port, '127.0.0.1')
    taken.close()
    const told = `EADDRINUSE: port ${port} of 127.0.0.1 is in use: stop the program that listens there, or choose another port with --port`
    expect(failure(error)).toBe(told)
    expect(failure(new BridgeError('SERVICE_UNREACHABLE', error.message))).toBe(told)
    expect(failure(new Error('listen EADDRINUSE: address already in use ::1:8080'))).toContain(
      'port 8080 of ::1',
    )
  })

  test('with the name of the file that is missing or unreadable', async () => {
    const missing = await readFile('/nowhere/speech.wav').catch((error: Error) => error)
    expect(failure(missing)).toBe('ENOENT: /nowhere/speech.wav does not exist')
    const folder = await readFile(tmpdir()).catch((error: Error) => Object.assign(error, { path: tmpdir() }))
    expect(failure(folder)).toBe(`EISDIR: ${tmpdir()} is a folder, not a file`)
    const forbidden = Object.assign(new Error('x'), { code: 'EACCES', path: '/a.wav' })
    expect(failure(forbidden)).toBe('EACCES: permission denied for /a.wav')
  })

  test('with the host if it is not local', async () => {
    expect(failure(await listenError(0, '192.0.2.1'))).toBe(
      'EADDRNOTAVAIL: 192.0.2.1 is not a local address; change host',
    )
  })
})

describe('an address', () => {
  test.each(['http://localhost:8080', 'https://bridge.example.com/', 'http://[::1]:80'])(
    'can be %s',
    text => {
      expect(httpAddress('--server', text)).toBe(text.replace(/\/$/, ''))
    },
  )

  test.each([
    ['', /is "": expected an address that starts with http/],
    ['nowhere', /did you mean http:\/\/nowhere\?/],
    ['localhost:8080', /did you mean http:\/\/localhost:8080\?/],
    ['11205', /did you mean http:\/\/localhost:11205\?/],
    ['ftp://example.com', /^[^?]*$/],
    ['http://', /^[^?]*$/],
    ['two words', /^[^?]*$/],
  ])('cannot be "%s"', (text, told) => {
    expect(() => httpAddress('--server', text)).toThrow(CommandError)
    expect(() => httpAddress('--server', text)).toThrow(told)
  })
})

describe('an output file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dragoman-output-'))
    await writeFile(join(folder, 'old.wav'), 'x')
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('can exist or not, and is not created by the check', async () => {
    await assertWritable(join(folder, 'old.wav'))
    await assertWritable(join(folder, 'new.wav'))
    await assertWritable('new.wav')
    await expect(assertWritable(join(folder, 'new.wav', 'x'))).rejects.toThrow(/the folder .* does not exist/)
  })

  test('cannot be a folder, or be in a missing folder or below a file', async () => {
    await expect(assertWritable(folder)).rejects.toThrow('it is a folder')
    await expect(assertWritable(join(folder, 'none', 'x.wav'))).rejects.toThrow(
      /the folder .* does not exist/,
    )
    await expect(assertWritable(join(folder, 'old.wav', 'x.wav'))).rejects.toThrow(
      /not accessible|is not a folder/,
    )
  })

  test('must be writable, unless the user is root', async () => {
    const path = join(folder, 'fixed.wav')
    await writeFile(path, 'x')
    await chmod(path, 0o444)
    const tried = assertWritable(path)
    if (process.getuid?.() === 0) await tried
    else await expect(tried).rejects.toThrow('not writable')
  })
})

test.each([
  [
    11205,
    'connect ECONNREFUSED',
    'no bridge answers at http://b: start one there (dragoman serve), or set another address with --server',
  ],
  [11210, 'getaddrinfo ENOTFOUND b', 'the host of http://b does not exist; check --server'],
  [
    11200,
    'http://b/x answered 403',
    'the bridge at http://b rejected the signature: set its auth token with --auth-token, and its public address with --public-url if it has one',
  ],
  [11200, 'http://b/x answered 404', 'the server at http://b is not Dragoman (HTTP 404); check --server'],
  [
    11200,
    'http://b/x did not answer within 15 s',
    'the bridge at http://b cannot accept the call (http://b/x did not answer within 15 s); see its log',
  ],
  [
    12300,
    'content type text/html',
    'the server at http://b is not Dragoman (content type text/html); check --server',
  ],
  [31920, 'HTTP 403', 'the bridge at http://b rejected the call’s audio (HTTP 403); see its log'],
  [99999, 'odd', 'the call to http://b failed with 99999 (odd); see the log of the bridge'],
])('explains in one sentence why a call failed: %i "%s"', (code, text, told) => {
  expect(callTrouble({ code, text, at: 0 }, 'http://b')).toBe(told)
})
