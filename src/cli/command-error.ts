/** A user error that the user can fix. Printed without a stack. */
export class CommandError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}
