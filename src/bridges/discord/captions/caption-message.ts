/** One message in a text chat, as far as captions need it. Written for Discord: everything that means something is escaped. */
export interface CaptionMessage {
  /** At most 2000 characters. */
  readonly content: string
  readonly embed?: CaptionEmbed
}

export interface CaptionEmbed {
  /** At most 256 characters. */
  readonly author: string
  /** At most 4096 characters. */
  readonly description: string
  /** 0xRRGGBB. */
  readonly colour: number
}

/** What came of writing, editing or removing a message. */
export type Written =
  | { readonly kind: 'written'; readonly id: string }
  /** Somebody deleted the message. */
  | { readonly kind: 'message-gone' }
  /** It is too old to be edited any more. */
  | { readonly kind: 'message-old' }
  /** The chat is gone, or we may not write there; the code is Discord's. */
  | { readonly kind: 'no-access'; readonly code: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Anything else; trying again may work. */
  | { readonly kind: 'failed' }

/** Where captions go. Never rejects. */
export interface CaptionChat {
  send(message: CaptionMessage): Promise<Written>
  edit(id: string, message: CaptionMessage): Promise<Written>
  remove(id: string): Promise<Written>
}
