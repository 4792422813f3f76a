/** One thing that was looked at. Never holds a secret. */
export interface Check {
  /** What was looked at, in a few words. */
  readonly name: string
  /** `warn`: it works, but perhaps not as wanted. `fail`: something that is configured will not work. */
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do about it; empty when nothing is to be done. */
  readonly mend: string
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, mend: '' }
}

export function warn(name: string, found: string, mend: string): Check {
  return { name, status: 'warn', found, mend }
}

export function fail(name: string, found: string, mend: string): Check {
  return { name, status: 'fail', found, mend }
}

const SIGN = { ok: '✓', warn: '!', fail: '✗' } as const

/** The checks for people: a line each, what to do below. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map(check => check.name.length))
  const lines = checks.flatMap(({ name, status, found, mend }) => [
    `${SIGN[status]} ${name.padEnd(width)}  ${found}`,
    ...(mend ? mend.split('\n').map(line => `  ${' '.repeat(width)}  → ${line}`) : []),
  ])
  const count = (status: Check['status']) => checks.filter(check => check.status === status).length
  return [...lines, '', `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`].join('\n')
}

/** 0 when nothing failed. */
export function exitCode(checks: readonly Check[]): 0 | 1 {
  return checks.some(check => check.status === 'fail') ? 1 : 0
}
