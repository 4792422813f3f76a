/**
 * Where the talk page finds the `token` of a link to a room: what stands behind `#` is sent to no server, so that neither
 * logs nor other sites get it.
 */
export function joinPath(token: string): string {
  return `/${joinHash(token)}`
}

/** The same behind the address of the page, wherever that is. */
export function joinHash(token: string): string {
  return `#join=${token}`
}
