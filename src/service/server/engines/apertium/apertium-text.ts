const RESERVED = /[\\^$/[\]{}<>@]/g

/** Ends a request: the final period makes a sentence of it, the brackets separate it from the next. */
const END = '.[][\n]'

/** Encodes `text` as one request to a pipeline, without the terminating NUL. */
export function encodeRequest(text: string): string {
  return oneLine(text).replace(RESERVED, '\\$&') + END
}

/** Extracts the translation from a pipeline's answer. */
export function decodeAnswer(answer: string): string {
  return oneLine(answer.replace(/\.?\[\]\[\s*\]\s*$/, '').replace(/\\(.)/g, '$1'))
}

/** Removes NUL, control characters and repeated blanks. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
