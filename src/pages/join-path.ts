/**
 * Returns the path of a link to a room, with the `token` in its fragment. Browsers never send the part after `#`, so it
 * reaches neither logs nor other sites.
 */
export function joinPath(token: string): string {
  return `/${joinHash(token)}`
}

/** Returns the fragment with the `token`, for any address of the page. */
export function joinHash(token: string): string {
  return `#join=${token}`
}
