/** Creation time of the keys in tests. */
export const THEN = new Date('2026-01-02T03:04:05Z')
