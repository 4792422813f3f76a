import type { Evidence } from './evidence.ts'
import { batchReplies, refusedReplies, reply, voiceReplies } from './http-evidence.ts'
import type { Probe } from './probe.ts'
import { sessionEvidence } from './session-evidence.ts'
import type { Verdict } from './statement.ts'
import { STATEMENTS } from './statements.ts'

/** A statement and what became of it. */
export interface Row extends Verdict {
  readonly id: string
  readonly text: string
}

/** Looks at a service from outside, then judges every statement by what was seen. Never rejects for what the service does. */
export async function examine(probe: Probe): Promise<Row[]> {
  const evidence = await gathered(probe)
  return STATEMENTS.map(({ id, text, judge }) => ({ id, text, ...judge(evidence) }))
}

/** Wrong keys come last: a service may refuse an address that has tried too many. */
async function gathered(probe: Probe): Promise<Evidence> {
  const { source, target, text, speech, apiKey } = probe
  const languages = await reply(probe, '/api/languages', apiKey)
  const voices = await voiceReplies(probe)
  const batch = await batchReplies(probe)
  const { sessions, stream } = await sessionEvidence(probe)
  const { keyless, wrongKey } = await refusedReplies(probe)
  return { source, target, text, speech, languages, voices, batch, keyless, wrongKey, sessions, stream }
}
