/** Returns the token of a link to a room, which follows `#`. `src/pages/join-path.ts` creates these links. */
export function joinToken(address: string): string | undefined {
  return /#join=([\w-]+)$/.exec(address)?.[1]
}
