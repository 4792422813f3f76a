import type { FastifyInstance } from 'fastify'
import { PAGE_HEADERS, pageDocument } from '../../pages/page-document.ts'

/** Returns the path of the caption page of `room` with `token` after `#`, a part that browsers never send. */
export function captionPagePath(room: string, token?: string): string {
  return `/captions/${encodeURIComponent(room)}${token === undefined ? '' : `#token=${token}`}`
}

/**
 * `GET /captions/<room>`: the captions of a room, for projecting or sharing; `GET /captions` asks for the room. The
 * document is the same for every room and reader: its content comes from the control API, with the reader’s link or
 * key.
 */
export async function captionPage(app: FastifyInstance): Promise<void> {
  const page = pageDocument({
    title: 'Captions · Dragoman',
    module: 'web/captions/page/captions',
    styles: ['web/captions/page/captions.css'],
    body: 'web/captions/page/captions.html',
  })
  for (const path of ['/captions', '/captions/:room'])
    app.get(path, (_request, reply) => reply.headers(PAGE_HEADERS).send(page))
}
