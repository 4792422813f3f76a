import type { CaptionSettings } from '../channel-interpreter.ts'
import { missingFrom, neededFor, type Purpose } from './permissions.ts'
import type { Place } from './scene.ts'
import type { StartFault } from './start-faults.ts'

/** Where captions go and how they look, as far as that is possible. */
export interface CaptionsPlan {
  readonly text: Place | undefined
  readonly captions: CaptionSettings
  /** A thread is wanted, and there can be none in that chat. */
  readonly noThread: boolean
  /** What they could be with these permissions; it works without. */
  readonly lacks: readonly StartFault[]
}

/**
 * Captions as they are wanted: in the chat of the voice channel, or in a thread where the command was typed, if that is a
 * text channel; threads are for channels that are text and nothing else (Discord: Text Channels in Voice).
 */
export function captionsPlan(
  wanted: CaptionSettings,
  typed: Place | undefined,
  voice: Place | undefined,
): CaptionsPlan {
  const lacks: StartFault[] = []
  const may = (place: Place | undefined, purposes: readonly Purpose[]): place is Place => {
    if (!place) return false
    const permissions = missingFrom(place.granted, neededFor(purposes))
    if (permissions.length > 0) lacks.push({ kind: 'missing', channelId: place.id, permissions })
    return permissions.length === 0
  }
  const canThread = typed?.kind === 'text'
  const thread = wanted.thread && canThread && may(typed, ['write', 'thread'])
  const text = thread ? typed : voice
  const plain = wanted.style === 'embed' && !may(text, ['embed'])
  return {
    text,
    captions: { style: plain ? 'plain' : wanted.style, thread },
    noThread: wanted.thread && !canThread,
    lacks,
  }
}
