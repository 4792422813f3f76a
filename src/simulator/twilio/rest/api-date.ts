/** Formats `ms` since 1970 like the 2010 API (RFC 2822): `Sat, 21 Nov 2026 05:28:11 +0000`. */
export function apiDate(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000')
}
