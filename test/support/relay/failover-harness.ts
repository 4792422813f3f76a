import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { ServiceStatusChange } from '../../../src/core/model/events.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import type { Connection, ConnectionSink } from '../../../src/core/translation/translator.ts'

export const gone: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_UNREACHABLE', 'nobody there', { retryable: true }),
}
export const full: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_REFUSED', 'full', { retryable: true }),
}
export const never: EndReason = { kind: 'failed', error: new BridgeError('SERVICE_REFUSED', 'wrong key') }
const request = { from: 'en-us', to: 'es-es', want: 'speech' } as const

/** One connection as its session sees it. */
class Caller {
  readonly events: string[] = []
  connection: Connection | undefined
  retryable: boolean | undefined
  readonly sink: ConnectionSink = {
    ready: () => this.events.push('ready'),
    acked: sequence => this.events.push(`acked ${sequence}`),
    result: () => this.events.push('result'),
    endOfSpeech() {},
    fault() {},
    renew: () => this.events.push('renew'),
    ended: reason => {
      this.retryable = reason.kind === 'failed' && reason.error.retryable
      this.events.push(reason.kind === 'failed' ? reason.error.message : reason.kind)
    },
  }
}

export function gateSetup(services = 1) {
  const clock = new FakeClock(1_000)
  const translators = Array.from({ length: services }, () => new FakeTranslator())
  const changes: ServiceStatusChange[] = []
  const gate = new FailoverTranslator(translators, {
    clock,
    random: () => 0.5,
    changed: change => changes.push(change),
  })
  const call = () => {
    const caller = new Caller()
    caller.connection = gate.open(request, caller.sink)
    return caller
  }
  /** Lets fakes answer, which they do in microtasks. */
  const settle = async () => {
    for (let n = 0; n < 10; n++) await Promise.resolve()
  }
  const run = async (ms: number) => {
    for (let at = 0; at < ms; at += 50) {
      clock.advance(50)
      await settle()
    }
  }
  const [first, second] = translators
  return { clock, gate, first: first!, second: second!, changes, call, settle, run }
}
