/** Text as the recogniser writes it, without `<sil>`, `<s>`, `[NOISE]`, `++UH++` and the `(2)` of variants. */
export function cleanTranscript(raw: string): string {
  return raw
    .replace(/<[^<>]*>|\[[^\][]*\]|\+\+[^+]*\+\+/g, ' ')
    .replace(/\(\d+\)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
