/** Returns the path of the caption page of `room` with `token` after `#`, a part that browsers never send. */
export function captionPagePath(room: string, token?: string): string {
  return `/captions/${encodeURIComponent(room)}${token === undefined ? '' : `#token=${token}`}`
}
