/**
 * Reaction when the voice server closes the socket. For every code except 4014, the library itself would reconnect
 * immediately and endlessly.
 *
 * - `rejoin`: request to join again, with increasing delays and a limited number of attempts.
 * - `wait`: caused by someone else. The main gateway reports which: moved (it names another server) or kicked.
 * - `once`: one more attempt; the answer is unlikely to change.
 * - `refuse`: the server asks us not to reconnect.
 */
export type CloseAnswer = 'rejoin' | 'wait' | 'once' | 'refuse'

/** From Discord's table "Voice Close Event Codes". Other codes count as temporary failures. */
const ANSWERS: Readonly<Record<number, CloseAnswer>> = {
  // Server not found; unknown protocol; unknown encryption mode; end-to-end encryption required.
  4011: 'once',
  4012: 'once',
  4016: 'once',
  4017: 'once',
  // Disconnected: kicked, moved, the channel deleted, or the main gateway's session dropped.
  4014: 'wait',
  // Call terminated: the channel was deleted, or moved to another voice server.
  4022: 'wait',
  // Disconnected for exceeding the rate limit.
  4021: 'refuse',
}

/** Codes whose repetition means a refusal, not an outage. */
const DEFINITE = new Set([4004, 4011, 4012, 4016, 4021, 4022])

export function answerTo(code: number): CloseAnswer {
  return ANSWERS[code] ?? 'rejoin'
}

/**
 * Returns the reason to report when `code` was the last one: the code itself, `encryption`, or undefined for an outage.
 */
export function refusalOf(code: number | undefined): number | 'encryption' | undefined {
  if (code === 4017) return 'encryption'
  return code !== undefined && DEFINITE.has(code) ? code : undefined
}
