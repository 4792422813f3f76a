const DIGIT = /\p{Nd}/gu

/** Returns `text` with the decimal digits of every script as 0 to 9, as people type codes: `٤٨` and `４８` are `48`. */
export function asciiDigits(text: string): string {
  return text.replace(DIGIT, digit => {
    const code = digit.codePointAt(0)!
    // Digits are assigned in runs of ten, from 0 (Unicode: decimal digits).
    let first = code
    while (isDigit(first - 1)) first--
    return String((code - first) % 10)
  })
}

function isDigit(code: number): boolean {
  return /^\p{Nd}$/u.test(String.fromCodePoint(code))
}
