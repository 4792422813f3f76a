/** Result of a check. Never contains a secret. */
export interface Check {
  /** Subject of the check, in a few words. */
  readonly name: string
  /** `warn`: it works, but possibly not as intended. `fail`: a configured feature will not work. */
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** The fix; empty if none is needed. */
  readonly fix: string
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, fix: '' }
}

export function warn(name: string, found: string, fix: string): Check {
  return { name, status: 'warn', found, fix }
}

export function fail(name: string, found: string, fix: string): Check {
  return { name, status: 'fail', found, fix }
}

const SIGN = { ok: '✓', warn: '!', fail: '✗' } as const

/** Formats the checks for people: one line each, with the fix below. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map(check => check.name.length))
  const lines = checks.flatMap(({ name, status, found, fix }) => [
    `${SIGN[status]} ${name.padEnd(width)}  ${found}`,
    ...(fix ? fix.split('\n').map(line => `  ${' '.repeat(width)}  → ${line}`) : []),
  ])
  const count = (status: Check['status']) => checks.filter(check => check.status === status).length
  return [...lines, '', `${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failed`].join('\n')
}

/** 0 if no check failed. */
export function exitCode(checks: readonly Check[]): 0 | 1 {
  return checks.some(check => check.status === 'fail') ? 1 : 0
}
