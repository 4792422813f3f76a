/** What a page, and anything that a browser could take for one, must never do here. Pages with needs say so themselves. */
const POLICY = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** `default-src 'none'` and the like, with `more` for pages that need it. */
export function contentPolicy(...more: readonly string[]): string {
  return [...POLICY, ...more].join('; ')
}

/** Sent with every answer. No answer tells of the program or its version. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentPolicy(),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}
