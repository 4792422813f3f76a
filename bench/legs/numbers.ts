/** The phone number of leg `index` (0–999). The bridge gives each number its own language. */
export function numberOf(index: number): string {
  return `+15005550${String(index).padStart(3, '0')}`
}

/** The language that only leg `index` hears, which identifies its session at the service. */
export function languageOf(index: number): string {
  return `es-${String(index).padStart(3, '0')}`
}

/** The inverse; -1 for any other language. */
export function indexOf(language: string): number {
  const match = /^es-(\d{3})$/.exec(language)
  return match ? Number(match[1]) : -1
}
