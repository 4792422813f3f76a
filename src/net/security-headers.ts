/** Restrictions for pages and for any content that a browser could interpret as one. Pages add exceptions. */
const POLICY = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** Returns the content security policy, with `more` directives for pages that need them. */
export function contentPolicy(...more: readonly string[]): string {
  return [...POLICY, ...more].join('; ')
}

/** Sent with every response. Responses never reveal the program or its version. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentPolicy(),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}
