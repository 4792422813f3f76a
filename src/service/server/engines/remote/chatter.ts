/**
 * A model's reasoning before its answer. The end tag is missing if the answer was cut off, the start tag if the server
 * removed it.
 */
const THOUGHTS =
  /<(think|thinking|reasoning)>(?:(?!<(?:think|thinking|reasoning)>)[\s\S])*?<\/\1>|^[\s\S]*?<\/(?:think|thinking|reasoning)>/gi
const UNFINISHED_THOUGHT = /<(think|thinking|reasoning)>/i
/** `Translation:`, `Here is the translation:`, `Spanish:`, `Sure! …:` on a separate line or before the text. */
const INTRODUCTION =
  /^(?:(?:sure|certainly|of course|okay)[,.!]?\s*)?(?:here(?:'s| is) (?:the|your) [^\n:]{0,40}translation[^\n:]{0,30}|(?:the )?translat(?:ion|ed text)(?: (?:in|to|into) [^\n:]{1,30})?|(?:spanish|english|french|german|italian|portuguese|catalan)(?: translation| \([^)\n]{1,30}\))?):\s*/i
/** A remark after the translation. */
const REMARK =
  /\n[([*_]{0,4}(?:note|explanation|literal(?:ly)?|alternative(?:s|ly)?|pronunciation|or)\b[\s\S]*$/i
const TRAILING_NOTE = /\((?:note|literally|lit\.|alternatively)[^()]*\)\s*$/i
const FENCE = /^```(?:[a-z]*\s)?([\s\S]*?)```$/i
const MARKS = /^<\/?(?:said|translation)>|<\/?(?:said|translation)>$/gi

const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ['“', '”'],
  ['«', '»'],
  ['„', '“'],
  ['「', '」'],
  ["'", "'"],
]

/** Maximum length of a translation, relative to its source. */
const LONGER = 4
const LONGER_LETTERS = 60

/**
 * Extracts the translation from a chat model's answer: removes reasoning, introductions, quotation marks and remarks.
 * Undefined if the rest is unlikely to be a translation: empty, or far longer than the source.
 */
export function translationIn(answer: string, said: string): string | undefined {
  let text = answer.replace(THOUGHTS, '').trim()
  if (UNFINISHED_THOUGHT.test(text)) return undefined
  text = (FENCE.exec(text)?.[1] ?? text).trim()
  text = text.replace(MARKS, '').trim()
  text = text
    .replace(INTRODUCTION, '')
    .replace(/\n\s+/g, '\n')
    .replace(REMARK, '')
    .replace(TRAILING_NOTE, '')
    .trim()
  text = unquoted(text, said).replace(MARKS, '').trim()
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined
  return text.length <= said.length * LONGER + LONGER_LETTERS ? text : undefined
}

function unquoted(text: string, said: string): string {
  for (const [open, close] of QUOTES) {
    const inner = text.slice(open.length, -close.length)
    const whole = text.length > 1 && text.startsWith(open) && text.endsWith(close)
    // Quotation marks of the source text stay.
    if (whole && !inner.includes(open) && !said.startsWith(open)) return inner.trim()
  }
  return text
}
