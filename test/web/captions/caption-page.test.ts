import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { captionPage, captionPagePath } from '../../../src/web/captions/caption-links.ts'

const server = Fastify({ routerOptions: { maxParamLength: 1_536 } })
await server.register(captionPage)
afterAll(() => server.close())

const NAMES = ['desk', 'Señora García', '<script>alert(1)</script>', '../../etc', 'a/b?c#d', '会'.repeat(128)]

test.each(NAMES)('the page of %s contains neither room data nor inline scripts', async name => {
  const path = captionPagePath(name, 'a-token.of-a-link')
  const { pathname, hash } = new URL(path, 'http://localhost')
  expect(decodeURIComponent(pathname)).toBe(`/captions/${name}`)
  expect(hash).toBe('#token=a-token.of-a-link')
  const { body, headers, statusCode } = await server.inject(pathname)
  expect(statusCode).toBe(200)
  expect(body).toBe((await server.inject('/captions')).body)
  expect(headers['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval'")
  expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
})

test('omits a missing token from the path', () => expect(captionPagePath('desk')).toBe('/captions/desk'))
