import type { Dialler, DialOutcome, DialRequest, OutgoingCall } from '../model/dialer.ts'
import type { Observer } from '../model/events.ts'

/** A dialer that emits the event `dial` with the outcome of each call. */
export class ObservedDialler implements Dialler {
  readonly #dialler: Dialler
  readonly #observer: Observer

  /** The caller keeps ownership of `dialler`. */
  constructor(dialler: Dialler, observer: Observer) {
    this.#dialler = dialler
    this.#observer = observer
  }

  dial(request: DialRequest): OutgoingCall {
    const call = this.#dialler.dial(request)
    const about = { room: request.invitation.room, call: call.id }
    void call.outcome.then(async outcome => {
      this.#observer.emit('dial', { ...about, outcome: outcome.kind, ...details(outcome) })
      if (outcome.kind !== 'answered') return
      this.#observer.emit('dial', { ...about, outcome: await call.over, ...details(outcome) })
    })
    return call
  }
}

function details(outcome: DialOutcome) {
  if (outcome.kind === 'answered') return { participant: outcome.participant }
  return outcome.kind === 'failed' ? { code: outcome.error.code } : {}
}
