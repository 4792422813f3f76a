const RESERVED = /[\\^$/[\]{}<>@]/g

/** Ends a request: the final period makes a sentence of it, the brackets keep it apart from the next. */
const END = '.[][\n]'

/** `text` as one request to a pipeline, without the NUL that ends it. */
export function encodeRequest(text: string): string {
  return oneLine(text).replace(RESERVED, '\\$&') + END
}

/** The translation in a pipeline's answer. */
export function decodeAnswer(answer: string): string {
  return oneLine(answer.replace(/\.?\[\]\[\s*\]\s*$/, '').replace(/\\(.)/g, '$1'))
}

/** Without NUL, control characters and repeated blanks. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
