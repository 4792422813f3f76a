import type { SessionEvent, SessionResult, SessionUtterance } from './session-event.ts'

/**
 * Events as whole utterances. Where there is a voice, an utterance is whole at its `endSynth`, else with its final
 * result. One whose final text is empty and that says nothing is left out: it was noise.
 */
export async function* wholeUtterances(
  events: AsyncIterable<SessionEvent>,
  spoken: boolean,
): AsyncGenerator<SessionUtterance, void> {
  let finals: SessionResult[] = []
  for await (const event of events) {
    if (event.kind === 'result' && event.final) finals.push(event)
    const whole = spoken ? event.kind === 'endSynth' : event.kind === 'result' && event.final
    if (!whole || finals.length === 0) continue
    const utterance = joined(finals)
    finals = []
    if (utterance.text || utterance.translation || utterance.audio) yield utterance
  }
  if (finals.length > 0) yield joined(finals)
}

function joined(finals: readonly SessionResult[]): SessionUtterance {
  const [first] = finals
  const text = finals.findLast(final => final.text !== undefined)?.text
  const translation = finals.findLast(final => final.translation !== undefined)?.translation
  const pieces = finals.flatMap(({ audio }) => (audio ? [audio] : []))
  return {
    utterance: first?.utterance ?? '',
    ...(text === undefined ? {} : { text }),
    ...(translation === undefined ? {} : { translation }),
    ...(pieces.length === 0 ? {} : { audio: Buffer.concat(pieces) }),
  }
}
