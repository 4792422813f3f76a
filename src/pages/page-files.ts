import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { HIDDEN } from '../net/openapi.ts'

/** The current modules: TypeScript in a checkout, JavaScript in a build. */
export const SOURCE = {
  /** The folder with `pages/`, `bridges/` and `web/`. */
  folder: new URL('../', import.meta.url),
  /** File extension of modules. */
  ending: import.meta.url.endsWith('.ts') ? '.ts' : '.js',
} as const

/** Path prefix of modules and styles. Below it, paths mirror the sources, so that imports resolve. */
export const FILES_PATH = '/files'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface PageFileOptions {
  /** Modules outside of `page` folders that pages import: paths below `src`, without the extension. */
  readonly shared?: readonly string[]
  /** Address of the files; default `FILES_PATH`. */
  readonly path?: string
}

interface PageFile {
  readonly type: string
  readonly plain: Representation
  readonly gzip: Representation
}

interface Representation {
  readonly body: Buffer
  readonly etag: string
}

/**
 * Serves the files of pages: everything in folders named `page`, the arithmetic of `transcode/`, the texts of `messages/`, and `shared`. The
 * list is fixed at startup, and each file is compressed on first request. In a checkout, types are also stripped from
 * TypeScript then; the built package contains JavaScript.
 */
export async function pageFiles(
  app: FastifyInstance,
  { shared = [], path = FILES_PATH }: PageFileOptions,
): Promise<void> {
  const root = fileURLToPath(SOURCE.folder)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join(posix.sep))
    .filter(name => extname(name) in TYPES && !name.endsWith('.d.ts') && served(name, shared))
  const files = new Map<string, PageFile>()
  const read = (name: string): PageFile => {
    const known = files.get(name)
    if (known) return known
    const text = readFileSync(join(root, name), 'utf8')
    const body = Buffer.from(name.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
    const file = {
      type: TYPES[extname(name)]!,
      plain: represented(body),
      gzip: represented(gzipSync(body, { level: 9 })),
    }
    files.set(name, file)
    return file
  }
  for (const name of names)
    app.get(`${path}/${name}`, { schema: HIDDEN }, (request, reply) => {
      const { type, plain, gzip } = read(name)
      const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
      const { body, etag } = zipped ? gzip : plain
      void reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag })
      if (zipped) void reply.header('content-encoding', 'gzip')
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(body)
    })
}

function represented(body: Buffer): Representation {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

function served(name: string, shared: readonly string[]): boolean {
  if (/(^|\/)page\//.test(name) || /^(transcode|messages)\//.test(name)) return true
  return [...SHARED, ...shared].includes(name.slice(0, -extname(name).length))
}

/** Modules outside these folders that pages load from any plugin. */
const SHARED = ['common/backoff', 'common/json', 'common/language']
