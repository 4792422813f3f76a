import { expect, test } from 'vitest'
import { controlled, KEY } from '../../support/web/control-harness.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Opens `path` as a person and as a program. */
async function both(url: string, path: string) {
  const page = await fetch(`${url}${path}`, { headers: BROWSER })
  const program = await fetch(`${url}${path}`)
  return {
    page: { status: page.status, type: page.headers.get('content-type'), body: await page.text() },
    program: { status: program.status, body: (await program.json()) as object },
  }
}

test('an expired or revoked link is a page that says so; programs get the stable code', async () => {
  const { url } = await controlled()
  const { page, program } = await both(url, '/v1/rooms/r/captions?token=an-old-token')
  expect([page.status, page.type]).toEqual([410, 'text/html; charset=utf-8'])
  expect(page.body).toContain('This link no longer works')
  expect(page.body).toContain('Ask the person who sent it for a new one.')
  expect(page.body).not.toContain('an-old-token')
  expect(program).toMatchObject({ status: 401, body: { error: 'key_wrong' } })
})

test('an address for programs says what it needs, and where the reference is', async () => {
  const { url } = await controlled()
  const { page, program } = await both(url, '/v1/rooms')
  expect(page.status).toBe(401)
  expect(page.body).toContain('This address needs an API key')
  expect(page.body).toContain('href="/dashboard"')
  expect(program).toMatchObject({ status: 401, body: { error: 'key_missing' } })

  const missing = await both(url, '/v1/nothing')
  expect(missing.page.status).toBe(404)
  expect(missing.page.body).toContain('href="/v1/docs"')
  expect(missing.program.body).toMatchObject({ error: 'path_unknown' })
})

test('without keys, the page shows the setting that adds one', async () => {
  const { url } = await controlled({ control: { keys: [] } })
  const { page, program } = await both(url, '/v1/docs')
  expect(page.status).toBe(404)
  expect(page.body).toContain('control:\n  keys:')
  expect(program).toMatchObject({ status: 404, body: { error: 'control_closed' } })
})

test('other errors of a person’s request are pages; those with a body never', async () => {
  const { url } = await controlled()
  const headers = { ...BROWSER, authorization: `Bearer ${KEY}` }
  const page = await fetch(`${url}/v1/rooms/<b>nobody/transcript`, { headers })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await page.text()).not.toContain('<b>nobody')
  const posted = await fetch(`${url}/v1/rooms/nobody/say`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(posted.headers.get('content-type')).toContain('application/json')
})
