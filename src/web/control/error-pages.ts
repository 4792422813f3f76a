import type { FastifyRequest } from 'fastify'
import { type ErrorPage, wantsPage } from '../../pages/error-page.ts'
import type { ControlError } from './errors.ts'

const KEY_SETTINGS = 'control:\n  keys:\n    - { name: desk, key: at-least-24-random-characters }'
const DASHBOARD = { name: 'Open the dashboard', href: '/dashboard' }
const REFERENCE = { name: 'Open the API reference', href: '/v1/docs' }

/**
 * Returns the page for an error of the control API, if a person opened the address in a browser; programs get JSON.
 * An expired link is 410 for people, who cannot tell an expired link from a wrong key.
 */
export function controlErrorPage(request: FastifyRequest, error: ControlError): ErrorPage | undefined {
  if (request.method !== 'GET' || !wantsPage(request)) return undefined
  const { specific, status, message } = error
  if (specific === 'key_wrong' && withLink(request)) return EXPIRED
  const page = PAGES[specific]
  if (page) return { status, code: specific, ...page }
  return {
    status,
    code: specific,
    title: status >= 500 ? 'Something went wrong' : 'This request was rejected',
    text: `The server answered: ${message.replaceAll('`', '')}.`,
    steps: [{ text: 'The API reference describes every address with an example.' }],
    action: REFERENCE,
  }
}

function withLink({ query }: FastifyRequest): boolean {
  return typeof (query as { token?: unknown }).token === 'string'
}

const EXPIRED: ErrorPage = {
  status: 410,
  code: 'link-expired',
  title: 'This link has expired',
  text: 'Ask the person who sent it for a new one.',
  steps: [
    { text: 'Links are valid for a limited time, and end when they are revoked or the call is over.' },
    {
      who: 'If you run this server',
      text: 'create a new link in the dashboard, or with `POST /v1/rooms/{room}/captions/link`.',
    },
  ],
}

const PAGES: Partial<Record<ControlError['specific'], Omit<ErrorPage, 'status' | 'code'>>> = {
  control_closed: {
    title: 'The control API is off',
    text: 'This server has no API keys, so it rejects all control requests.',
    steps: [
      {
        who: 'If you run this server',
        text: 'add a key to `control.keys`, and restart.',
        settings: KEY_SETTINGS,
      },
    ],
    action: { name: 'Open the start page', href: '/' },
  },
  key_missing: {
    title: 'This address needs an API key',
    text: 'It is for programs, which send a key from `control.keys` in the header `Authorization`.',
    steps: [
      { text: 'The dashboard shows the same in a browser. It asks for the key.' },
      { text: 'The API reference has a `curl` command for every address.' },
    ],
    action: DASHBOARD,
  },
  path_unknown: {
    title: 'Page not found',
    text: 'The control API has nothing at this address.',
    steps: [{ text: 'The API reference lists every address with an example.' }],
    action: REFERENCE,
  },
}
