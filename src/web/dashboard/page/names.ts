/** Returns the name of a channel for people. Every channel but these two is a carrier’s. */
export function channelName(channel: string): string {
  if (channel === 'browser') return 'Browser'
  return channel === 'discord' ? 'Discord' : 'Phone'
}
