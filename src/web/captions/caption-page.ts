import type { FastifyInstance } from 'fastify'
import { PAGE_HEADERS, pageDocument } from '../../pages/page-document.ts'

/**
 * `GET /captions/<room>`: the captions of a room, to project on a wall or to share; `GET /captions` asks for the room. The
 * document is the same for every room and everybody: what it shows comes from the control API, with the link or the key
 * that the reader brings along.
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
