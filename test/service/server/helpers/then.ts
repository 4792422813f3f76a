/** When the keys of tests were made. */
export const THEN = new Date('2026-01-02T03:04:05Z')
