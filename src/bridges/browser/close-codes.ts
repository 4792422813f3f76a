/** Why a socket is closed by this server, with the code it is closed with. The table is repeated in `docs/channels/browser.md`. */
export const CLOSE_CODES = {
  done: { code: 1000, meaning: 'The visit is over.' },
  'going-away': { code: 1001, meaning: 'The server shuts down.' },
  protocol: { code: 1002, meaning: 'Frames that are not WebSocket frames (RFC 6455).' },
  'bad-messages': { code: 1007, meaning: '10 messages within a second that are not what they should be.' },
  flood: { code: 1008, meaning: 'Far more messages than a visit has.' },
  'too-large': { code: 1009, meaning: 'A message above the limit.' },
  failed: { code: 1011, meaning: 'Something failed on our side; the page comes back.' },
  refused: { code: 4403, meaning: 'Not let in; a `refused` message before it says why.' },
  'no-hello': {
    code: 4408,
    meaning: 'No `hello` or `resume` within 5 seconds, or before too many others came.',
  },
  replaced: { code: 4409, meaning: 'A newer connection of the same visit took its place.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type CloseCause = keyof typeof CLOSE_CODES
