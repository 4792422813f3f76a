import type { FastifyRequest } from 'fastify'
import { isLanguageId } from '../../common/language.ts'
import type { Answers } from '../telephony/question.ts'
import type { IncomingCall } from './options.ts'

/** Field of our URLs with the language the caller chose, so that a restarted server need not ask again. */
export const LANGUAGE_FIELD = 'dragoman-language'

const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/
const MAX_FIELDS = 500

/** Returns the call of a webhook, or undefined if the request has none. */
export function incomingCall(request: FastifyRequest): IncomingCall | undefined {
  const form = (request.body ?? {}) as Record<string, string | string[]>
  const parameters: Record<string, string> = Object.create(null)
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(queryOf(request))) query[name] ??= value
  Object.assign(parameters, query)
  const fields = Object.entries(form)
  if (fields.length > MAX_FIELDS) return undefined
  for (const [name, value] of fields) parameters[name] = typeof value === 'string' ? value : (value[0] ?? '')
  const callSid = parameters.CallSid ?? ''
  if (!CALL_SID.test(callSid)) return undefined
  return {
    callSid,
    accountSid: parameters.AccountSid ?? '',
    from: parameters.From ?? '',
    to: parameters.To ?? '',
    direction: parameters.Direction ?? '',
    parameters,
    query,
    answers: answersIn(query),
  }
}

function answersIn(query: Readonly<Record<string, string>>): Answers {
  const language = query[LANGUAGE_FIELD]
  return language !== undefined && isLanguageId(language) ? { language } : {}
}

/** Returns the query of the request verbatim, without the question mark. */
export function queryOf(request: FastifyRequest): string {
  const at = request.originalUrl.indexOf('?')
  return at < 0 ? '' : request.originalUrl.slice(at + 1)
}
