/** A model's thoughts before its answer; the end may be missing when it was cut, or the start when the server ate it. */
const THOUGHTS =
  /<(think|thinking|reasoning)>(?:(?!<(?:think|thinking|reasoning)>)[\s\S])*?<\/\1>|^[\s\S]*?<\/(?:think|thinking|reasoning)>/gi
const UNFINISHED_THOUGHT = /<(think|thinking|reasoning)>/i
/** `Translation:`, `Here is the translation:`, `Spanish:`, `Sure! …:` in a line of their own or before the text. */
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

/** A translation is at most so much longer than what was said. */
const LONGER = 4
const LONGER_LETTERS = 60

/**
 * The translation in a chat model's answer: without thoughts, introductions, quotation marks and remarks. Undefined
 * when what is left can hardly be one: nothing, or far more than was said.
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
    // Quotation marks that were said stay.
    if (whole && !inner.includes(open) && !said.startsWith(open)) return inner.trim()
  }
  return text
}
