/** What a user got wrong or can mend: told in these words, without a stack. */
export class CommandError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}
