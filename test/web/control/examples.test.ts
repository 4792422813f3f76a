import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../src/web/control/control-api.ts'
import { controlled, KEY } from '../../support/web/control-harness.ts'

/** The command of each operation on the page, as a browser shows it. */
function commandsOf(html: string): Map<string, string> {
  const all = html.matchAll(/aria-label="Example of (\w+)"[^>]*><code>([\s\S]*?)<\/code>/g)
  return new Map(
    Array.from(all, ([, id = '', text = '']) => [
      id,
      text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    ]),
  )
}

/** Splits the command as a shell does. */
function parsed(command: string, url: string) {
  const words = command
    .replaceAll('\\\n', ' ')
    .replaceAll('$URL', url)
    .replaceAll('$KEY', KEY)
    .match(/"[^"]*"|'[^']*'|\S+/g)!
    .map(word => word.replace(/^(["'])([\s\S]*)\1$/, '$2'))
  const after = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []))
  return {
    url: words.find(word => word.startsWith('http'))!,
    method: after('-X')[0] ?? 'GET',
    headers: Object.fromEntries(after('-H').map(header => header.split(': ') as [string, string])),
    body: after('-d')[0],
  }
}

test('the page has a command for each operation, which the API accepts', async () => {
  const { url } = await controlled()
  const html = await (await fetch(`${url}/v1/docs`)).text()
  const commands = commandsOf(html)
  expect([...commands.keys()].sort()).toEqual(OPERATIONS.map(({ id }) => id).sort())
  for (const [id, command] of commands) {
    expect(html).toContain(`href="#${id}"`)
    const { url: address, body, ...request } = parsed(command, url)
    const response = await fetch(address, {
      ...request,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(5_000),
    })
    const text = response.headers.get('content-type')?.includes('json') ? await response.text() : ''
    await response.body?.cancel().catch(() => {})
    // The things that the examples name do not exist, but every value is acceptable.
    expect([401, 400, 405, 413, 415, 422], `${id}: ${command}\n${text}`).not.toContain(response.status)
    expect(text).not.toContain('path_unknown')
  }
})
