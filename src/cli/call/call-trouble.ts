import type { Notice } from '../../simulator/index.ts'

/** Explains in one sentence why a call failed and what to do. The codes are Twilio’s. */
export function callTrouble({ code, text }: Notice, server: string): string {
  switch (code) {
    case 11205:
      return `no bridge answers at ${server}: start one there (dragoman serve), or set another address with --server`
    case 11210:
      return `the host of ${server} does not exist; check --server`
    case 11200:
      return refusal(text, server)
    case 12100:
    case 12300:
      return `the server at ${server} is not Dragoman (${text}); check --server`
    case 31920:
    case 31922:
      return `the bridge at ${server} rejected the call’s audio (${text}); see its log`
    default:
      return `the call to ${server} failed with ${code} (${text}); see the log of the bridge`
  }
}

/** The webhook was answered, but not with instructions. */
function refusal(text: string, server: string): string {
  if (/answered 403$/.test(text))
    return `the bridge at ${server} rejected the signature: set its auth token with --auth-token, and its public address with --public-url if it has one`
  const [, status] = /answered (404|405|501)$/.exec(text) ?? []
  if (status) return `the server at ${server} is not Dragoman (HTTP ${status}); check --server`
  return `the bridge at ${server} cannot accept the call (${text}); see its log`
}
