import type { ChannelEnd } from '../channel-interpreter.ts'
import type { Notice } from './notice-board.ts'

/** Returns the chat notice for an ending, or undefined if someone asked for it. */
export function endWords(end: ChannelEnd): Notice | undefined {
  switch (end.kind) {
    case 'stopped':
    case 'parent-closed':
      return undefined
    case 'empty':
      return words => words.empty
    case 'kicked':
      return words => words.kicked
    case 'unreachable':
      return words => words.lost
    case 'refused':
      if (end.code === 'channel-gone' || end.code === 'guild-gone') return undefined
      if (end.code === 'permissions') return words => words.permissions
      if (end.code === 'encryption') return words => words.encryption
      return words => words.lost
    default:
      return end satisfies never
  }
}
