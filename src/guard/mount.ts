import { BridgeError } from '../core/errors.ts'

/** Segments that stand in an address as they are: no parameter, wildcard, query or empty segment. */
const PLAIN = /^\/?([\w.~%$&'()+,;=@!-]+(\/[\w.~%$&'()+,;=@!-]+)*\/?)?$/

/**
 * The path under which the routes of a plugin are reached: the prefix of the scope it is registered in (`app.prefix`), its own `prefix`,
 * and what all its routes begin with. Addresses that are handed out or verified are built from it, so a prefix that cannot be written out
 * (`/:tenant`) is refused. Without a slash at its end; empty at the root.
 */
export function mountPath(scopePrefix: string, prefix = '', path = ''): string {
  const named = { 'the prefix of the scope': scopePrefix, prefix, path }
  for (const [name, part] of Object.entries(named))
    if (typeof part !== 'string' || !PLAIN.test(part))
      throw new BridgeError(
        'CONFIG',
        `${name} must be a plain path such as /calls, without parameters or wildcards, got ${JSON.stringify(part)}`,
      )
  const segments = [scopePrefix, prefix, path].flatMap(part => part.split('/')).filter(part => part !== '')
  return segments.map(segment => `/${segment}`).join('')
}
