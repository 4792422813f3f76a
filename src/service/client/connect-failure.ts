import { ServiceClientError, WITHOUT_CODE } from './errors.ts'

/** Text with which servers without error codes refuse a key. */
const ABOUT_KEY =
  /unauthori[sz]ed|not authori[sz]ed|forbidden|authentication|(invalid|wrong|missing|unknown|no) (api[ -]?)?(key|token|credential)/i

/**
 * Converts a `connect_error` to the error of the service's middleware, or to the reason why the service could not be
 * reached. `hint`: advice if the address is probably wrong.
 */
export function connectFailure(
  error: Error & { data?: unknown },
  hint: string | undefined,
): ServiceClientError {
  // The library's own errors have no `data` property; those of the service can have an empty one.
  if ('data' in error) {
    const told = ServiceClientError.told(error.data ?? error.message)
    if (hint !== undefined && (told.code === 'bad_namespace' || error.message === 'Invalid namespace'))
      return ServiceClientError.found('protocol/wrong_path', hint, { cause: error })
    if (told.error !== WITHOUT_CODE || !ABOUT_KEY.test(`${told.description} ${error.message}`)) return told
    return ServiceClientError.told({ ...told, code: 'unauthorized', description: told.description })
  }
  const why = reasonOf(error)
  const http = typeof why === 'number' ? `HTTP ${why}` : why
  const advice = hint !== undefined && typeof why === 'number' ? `; ${hint}` : ''
  // 5xx: a proxy whose service is away. Other answers than an upgrade come from something else at this address.
  if (typeof why === 'number' && why < 500)
    return ServiceClientError.found(
      'protocol/http_status',
      `no translation service answers there: ${http}${advice}`,
      { status: why, retryable: true, cause: error },
    )
  return ServiceClientError.found(
    'unreachable/connection_failed',
    `cannot connect to the service${http === undefined ? '' : `: ${http}`}${advice}`,
    { cause: error },
  )
}

/** Returns the system's code (ECONNREFUSED, CERT_HAS_EXPIRED) or the status of the handshake; no text from a server. */
function reasonOf(error: unknown): string | number | undefined {
  // The library hides it in the event of the failed websocket.
  const { description } = error as { description?: { error?: { code?: unknown; message?: unknown } } }
  const { code, message } = description?.error ?? {}
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  const status = typeof message === 'string' ? /server response: (\d{3})$/.exec(message)?.[1] : undefined
  return status === undefined ? undefined : Number(status)
}
