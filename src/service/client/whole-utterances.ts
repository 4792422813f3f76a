import type { ServiceEvent, SessionResult, SessionUtterance } from './session-events.ts'

/** Maximum number of open utterances; above it, the oldest is treated as complete. */
const MOST_OPEN = 16

/**
 * Assembles events into whole utterances. With speech, an utterance is complete at its `endSynth`, otherwise at its
 * final result. Utterances that are empty (noise) are omitted.
 */
export async function* wholeUtterances(
  events: AsyncIterable<ServiceEvent>,
  spoken: boolean,
): AsyncGenerator<SessionUtterance, void> {
  const open = new Map<string, SessionResult[]>()
  function* whole(name: string | undefined): Generator<SessionUtterance, void> {
    const finals = name === undefined ? undefined : open.get(name)
    if (!finals) return
    open.delete(name!)
    const utterance = joined(finals)
    if (utterance.text || utterance.translation || utterance.audio) yield utterance
  }
  for await (const event of events) {
    if (event.kind === 'result' && event.final) {
      const { utterance } = event
      open.set(utterance, [...(open.get(utterance) ?? []), event])
      if (!spoken) yield* whole(utterance)
      else if (open.size > MOST_OPEN) yield* whole(open.keys().next().value)
    }
    // An end without a known name ends the oldest.
    if (spoken && event.kind === 'endSynth')
      yield* whole(open.has(event.utterance) ? event.utterance : open.keys().next().value)
  }
  for (const name of [...open.keys()]) yield* whole(name)
}

function joined(finals: readonly SessionResult[]): SessionUtterance {
  const pieces = finals.flatMap(({ audio }) => (audio ? [audio] : []))
  return {
    utterance: finals[0]?.utterance ?? '',
    text: finals.findLast(final => final.text !== undefined)?.text,
    translation: finals.findLast(final => final.translation !== undefined)?.translation,
    audio: pieces.length === 0 ? undefined : Buffer.concat(pieces),
  }
}
