import type { FastifyRequest } from 'fastify'
import type { ErrorTexts } from '../../messages/en/errors.ts'
import { type ErrorPage, type ErrorPageOf, wantsPage } from '../../pages/error-page.ts'
import type { ControlError } from './errors.ts'

const KEY_SETTINGS = 'control:\n  keys:\n    - { name: desk, key: at-least-24-random-characters }'

/**
 * Returns the page for an error of the control API, if a person opened the address in a browser; programs get JSON.
 * An expired link is 410 for people, who cannot tell an expired link from a wrong key.
 */
export function controlErrorPage(request: FastifyRequest, error: ControlError): ErrorPageOf | undefined {
  if (request.method !== 'GET' || !wantsPage(request)) return undefined
  const { specific, status, message } = error
  if (specific === 'key_wrong' && withLink(request)) return linkOver
  return texts => {
    const page = PAGES[specific]?.(texts)
    if (page) return { status, code: specific, ...page }
    return {
      status,
      code: specific,
      title: status >= 500 ? texts.failed : texts.rejected,
      text: texts.answered(message.replaceAll('`', '')),
      steps: [{ text: texts.readReference }],
      action: reference(texts),
    }
  }
}

function withLink({ query }: FastifyRequest): boolean {
  return typeof (query as { token?: unknown }).token === 'string'
}

const reference = (texts: ErrorTexts) => ({ name: texts.openReference, href: '/v1/docs' })

const linkOver: ErrorPageOf = texts => ({
  status: 410,
  code: 'link-expired',
  title: texts.link,
  text: texts.linkAbout,
  steps: [{ text: texts.linkWhy }, { who: texts.ifYours, text: texts.linkYours }],
})

type PageOf = (texts: ErrorTexts) => Omit<ErrorPage, 'status' | 'code'>

const PAGES: Partial<Record<ControlError['specific'], PageOf>> = {
  control_closed: texts => ({
    title: texts.closed,
    text: texts.closedAbout,
    steps: [{ who: texts.ifYours, text: texts.closedYours, settings: KEY_SETTINGS }],
    action: { name: texts.openStart, href: '/' },
  }),
  key_missing: texts => ({
    title: texts.key,
    text: texts.keyAbout,
    steps: [
      { who: texts.ifInvited, text: texts.exactLink },
      { text: texts.keyDashboard },
      { text: texts.keyReference },
    ],
    action: { name: texts.openDashboard, href: '/dashboard' },
  }),
  path_unknown: texts => ({
    title: texts.missing,
    text: texts.apiMissingAbout,
    steps: [{ text: texts.readReference }],
    action: reference(texts),
  }),
}
