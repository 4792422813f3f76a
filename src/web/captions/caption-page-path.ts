/** Where the page is that shows the captions of `room`, for whoever has `token`: behind `#`, which browsers send to nobody. */
export function captionPagePath(room: string, token?: string): string {
  return `/captions/${encodeURIComponent(room)}${token === undefined ? '' : `#token=${token}`}`
}
