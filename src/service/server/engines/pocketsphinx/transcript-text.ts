/** Removes `<sil>`, `<s>`, `[NOISE]`, `++UH++` and the `(2)` of variants from a recognizer's text. */
export function cleanTranscript(raw: string): string {
  return raw
    .replace(/<[^<>]*>|\[[^\][]*\]|\+\+[^+]*\+\+/g, ' ')
    .replace(/\(\d+\)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
