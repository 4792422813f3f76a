import type { CaptionSettings } from '../channel-interpreter.ts'
import { missingFrom, neededFor, type Purpose } from './permissions.ts'
import type { Place } from './scene.ts'
import type { StartFault } from './start-faults.ts'

/** Destination and style of captions, as far as possible. */
export interface CaptionsPlan {
  readonly text: Place | undefined
  readonly captions: CaptionSettings
  /** A thread was requested, but that chat does not support one. */
  readonly noThread: boolean
  /** Permissions that captions would need as requested; they work without. */
  readonly lacks: readonly StartFault[]
}

/**
 * Plans captions as requested: in the chat of the voice channel, or in a thread of the text channel where the command
 * was typed. Only pure text channels support threads (Discord: Text Channels in Voice).
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
