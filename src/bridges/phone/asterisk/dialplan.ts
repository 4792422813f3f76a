import { createHash } from 'node:crypto'
import type { CallInstructions, Instructions } from '../ports/call-instructions.ts'
import { type ExpectedStreams, formatUuid } from './wire.ts'

/** Connection of streams: by the channel driver AudioSocket, or by chan_websocket. */
export type AsteriskStream = 'audiosocket' | 'websocket'

/**
 * `CallInstructions` as one line for the dialplan, whose fields are separated by `|`: the label to go to, the address to
 * request next, and what the label needs. The dialplan in docs/channels/asterisk.md has a label for each.
 */
export function asteriskInstructions(expected: ExpectedStreams, stream: AsteriskStream): CallInstructions {
  return {
    connectStream: ({ callId, parameters, resumeUrl, pauseSeconds = 0 }) => {
      const uuid = uuidOf(parameters.token ?? '')
      expected.add(uuid, { callId, parameters })
      return line(
        stream === 'websocket' ? 'websocket' : 'stream',
        resumeUrl,
        uuid,
        String(Math.round(pauseSeconds)),
      )
    },
    waitAndAsk: (seconds, url) => line('wait', url, String(Math.round(seconds))),
    // Without a number of keys, `#` ends the answer, as in the application `Read`.
    gatherKeys: ({ playUrls, actionUrl, keys = MAX_KEYS, pauseSeconds }) =>
      line('keys', actionUrl, String(Math.round(keys)), String(Math.round(pauseSeconds)), sounds(playUrls)),
    playAndHangUp: urls => line('play', '', sounds(urls)),
    sayAndHangUp: ({ text, language = 'en-US' }) => line('say', '', language, text),
    reject: reason => line(reason === 'busy' ? 'busy' : 'reject', ''),
    hangUp: () => line('hangup', ''),
  }
}

const MAX_KEYS = 32

function line(label: string, next: string, ...fields: readonly string[]): Instructions {
  const body = [label, next, ...fields].map(plain).join('|')
  return { contentType: 'text/plain; charset=utf-8', body }
}

/** Several sounds in one field, played in turn (Asterisk: `Playback`, `Read`). */
function sounds(urls: readonly string[]): string {
  return urls.join('&')
}

/** Removes what would end a field, start an expression, or end the line. */
function plain(field: string): string {
  return field.toWellFormed().replace(SPECIAL, ' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the line
const SPECIAL = /[|$"\\\u0000-\u001f\u007f]/g

/** Derives the UUID of a stream from its token, so that a repeated request gets the same one: version 4, 122 bits. */
export function uuidOf(token: string): string {
  const bytes = createHash('sha256').update(token).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return formatUuid(bytes)
}
