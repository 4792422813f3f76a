/** One message in a text chat, as far as captions need it, with Discord's markup escaped. */
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

/** Outcome of writing, editing or removing a message. */
export type Written =
  | { readonly kind: 'written'; readonly id: string }
  /** A user deleted the message. */
  | { readonly kind: 'message-gone' }
  /** The message is too old to be edited. */
  | { readonly kind: 'message-old' }
  /** The chat is gone, or writing there is not allowed. `code` is Discord's. */
  | { readonly kind: 'no-access'; readonly code: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Any other failure; a retry may succeed. */
  | { readonly kind: 'failed' }

/** Destination of captions. Never rejects. */
export interface CaptionChat {
  send(message: CaptionMessage): Promise<Written>
  edit(id: string, message: CaptionMessage): Promise<Written>
  remove(id: string): Promise<Written>
}
