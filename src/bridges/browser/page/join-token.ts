/** The token in a link to a room, which stands behind `#`: `src/pages/join-path.ts` makes them. */
export function joinToken(address: string): string | undefined {
  return /#join=([\w-]+)$/.exec(address)?.[1]
}
