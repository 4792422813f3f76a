import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { SHARED_FILES } from '../../src/bridges/browser/index.ts'
import { SECURITY_HEADERS } from '../../src/net/http-hardening.ts'
import { PAGE_HEADERS, pageDocument } from '../../src/pages/page-document.ts'
import { FILES_PATH, pageFiles } from '../../src/pages/page-files.ts'

const server = Fastify()
await server.register(pageFiles, { shared: ['common/language'] })
const get = (name: string, headers = {}) => server.inject({ url: `${FILES_PATH}/${name}`, headers })

afterAll(() => server.close())

describe('files of pages', () => {
  it('are modules without types, at the paths that imports resolve to', async () => {
    const { headers, body, statusCode } = await get('pages/page/dom.ts')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toContain('text/javascript')
    expect(body).toContain('export function element')
    expect(body).not.toContain('HTMLElementTagNameMap')
  })

  it('include styles and images', async () => {
    expect((await get('pages/page/base.css')).headers['content-type']).toContain('text/css')
    expect((await get('pages/page/icon.svg')).headers['content-type']).toBe('image/svg+xml')
  })

  it('are not sent again to clients that have them', async () => {
    const { headers } = await get('pages/page/base.css')
    const again = await get('pages/page/base.css', { 'if-none-match': headers.etag })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each(['transcode/resample/resampler.ts', 'common/language.ts'])('include %s', async name =>
    expect((await get(name)).statusCode).toBe(200),
  )

  it.each([
    'config.ts',
    'web/status.ts',
    '../package.json',
    '%2e%2e/package.json',
    'pages/page/',
    'pages/page',
  ])('include no other files: %s', async name => expect((await get(name)).statusCode).toBe(404))
})

it('everything that a page imports is served', async () => {
  const app = Fastify()
  await app.register(pageFiles, { shared: SHARED_FILES })
  const source = fileURLToPath(new URL('../../src/', import.meta.url))
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(name =>
    /[\\/]page[\\/].*(?<!\.d)\.ts$/.test(name),
  )
  expect(found.length).toBeGreaterThan(40)
  const paths = new Set(found.map(name => `${FILES_PATH}/${name.replaceAll('\\', '/')}`))
  // What is added here is visited, too.
  for (const path of paths) {
    const { statusCode, body } = await app.inject(path)
    expect([path, statusCode]).toEqual([path, 200])
    for (const [, name = ''] of body.matchAll(/^(?:import|export|\}) [^'\n]*'(\.[^']*)'/gm))
      paths.add(posix.join(posix.dirname(path), name))
  }
  await app.close()
})

describe('a page', () => {
  const document = pageDocument({
    title: '<b>"one" & two</b>',
    module: 'web/a/page/a',
    styles: ['web/a/page/a.css'],
    body: 'pages/page/icon.svg',
  })
  const page = document.toString()

  it('links its modules and styles and has no inline script or style', () => {
    expect(page).toContain(`<script type="module" src="${FILES_PATH}/web/a/page/a.ts"></script>`)
    expect(page).toContain(`href="${FILES_PATH}/web/a/page/a.css"`)
    expect(page).not.toMatch(/<style|style=|<script>| on\w+=/)
  })

  it('has its title as text', () =>
    expect(page).toContain('<title>&#60;b&#62;&#34;one&#34; &#38; two&#60;/b&#62;</title>'))

  it('can load only from here, where other responses can load nothing', () => {
    const policy = PAGE_HEADERS['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'")
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/)
    expect(SECURITY_HEADERS['content-security-policy']).not.toContain('script-src')
  })
})

it('browsers get files compressed, and a cached file is confirmed', async () => {
  await using app = Fastify()
  await app.register(pageFiles)
  const url = '/files/pages/page/base.css'
  const plain = await app.inject(url)
  const zipped = await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } })
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
  expect(gunzipSync(zipped.rawPayload)).toEqual(plain.rawPayload)
  expect(zipped.headers.etag).not.toBe(plain.headers.etag)
  const cached = { 'accept-encoding': 'gzip', 'if-none-match': String(zipped.headers.etag) }
  expect((await app.inject({ url, headers: cached })).statusCode).toBe(304)
})
