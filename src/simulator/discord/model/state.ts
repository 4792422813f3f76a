/** Progress of an application's answer. */
export type InteractionState =
  | { status: 'waiting' }
  /** Deferred, or for a press, acknowledged. */
  | { status: 'deferred'; update: boolean }
  | { status: 'answered'; deferred: boolean; updated: boolean }
  /** No response within 3 s. */
  | { status: 'failed' }

/** Discord: Interaction Callback Type, by name. */
export type InteractionInput = 'reply' | 'defer' | 'update' | 'defer-update' | 'choices' | 'edit' | 'timeout'

/**
 *
 * waiting ──reply, update, choices──▶ answered
 *      │ └──defer, defer-update──▶ deferred ──edit──▶ answered
 *      └──timeout──▶ failed
 *
 * Undefined: no longer possible, which Discord answers with an error, or irrelevant.
 */
export function next(state: InteractionState, input: InteractionInput): InteractionState | undefined {
  switch (state.status) {
    case 'waiting':
      if (input === 'timeout') return { status: 'failed' }
      if (input === 'defer' || input === 'defer-update')
        return { status: 'deferred', update: input === 'defer-update' }
      if (input === 'edit') return undefined
      return { status: 'answered', deferred: false, updated: input === 'update' }
    case 'deferred':
      return input === 'edit' ? { status: 'answered', deferred: true, updated: state.update } : undefined
    case 'answered':
    case 'failed':
      return undefined
    default:
      return state satisfies never
  }
}
