/**
 * What to do when the voice server closes the socket; the library itself asks to be let in again at once, without end,
 * for everything but 4014.
 *
 * - `rejoin`: ask to be let in again, later and later, so many times.
 * - `wait`: somebody did this to the bot. The main gateway tells what: moved (another server is named), or kicked.
 * - `once`: one try more; the answer will hardly change.
 * - `refuse`: the server says not to come again.
 */
export type CloseAnswer = 'rejoin' | 'wait' | 'once' | 'refuse'

/** By Discord's table "Voice Close Event Codes"; what is not in it is taken for a fault that passes. */
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
  // Disconnected for going over the rate limit.
  4021: 'refuse',
}

/** Codes after which coming again and again in vain means that Discord does not want us, not that it is away. */
const DEFINITE = new Set([4004, 4011, 4012, 4016, 4021, 4022])

export function answerTo(code: number): CloseAnswer {
  return ANSWERS[code] ?? 'rejoin'
}

/** What it is called when `code` was the last word: the code itself, `encryption`, or nothing for a server that is away. */
export function refusalOf(code: number | undefined): number | 'encryption' | undefined {
  if (code === 4017) return 'encryption'
  return code !== undefined && DEFINITE.has(code) ? code : undefined
}
