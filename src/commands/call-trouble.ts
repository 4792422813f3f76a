import type { Notice } from '../simulator/index.ts'

/** Why a call did not come about, in one sentence with what to do about it. The numbers are Twilio's. */
export function callTrouble({ code, text }: Notice, server: string): string {
  switch (code) {
    case 11205:
      return `no bridge answers at ${server}: start one there (dragoman serve), or name another with --server`
    case 11210:
      return `there is no host of that name, ${server}: mend --server`
    case 11200:
      return refusal(text, server)
    case 12100:
    case 12300:
      return `what answers at ${server} is no Dragoman (${text}): mend --server`
    case 31920:
    case 31922:
      return `the bridge at ${server} refused the call's audio (${text}): its log says why`
    default:
      return `the call to ${server} failed with ${code} (${text}): the log of the bridge says why`
  }
}

/** The webhook was answered, but not with instructions. */
function refusal(text: string, server: string): string {
  if (/answered 403$/.test(text))
    return `the bridge at ${server} does not take the signature: give its auth token with --auth-token, and its public address with --public-url if it has one`
  const [, status] = /answered (404|405|501)$/.exec(text) ?? []
  if (status) return `what answers at ${server} is no Dragoman (HTTP ${status}): mend --server`
  return `the bridge at ${server} cannot take the call (${text}): its log says why`
}
