import fc from 'fast-check'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { must } from '../../fuzz/target.ts'
import { sessionSetup } from '../relay/session-harness.ts'
import type { Schedule } from './schedule.ts'

const ended = (retryable: boolean): EndReason => ({
  kind: 'failed',
  error: new BridgeError('SERVICE_LOST', 'gone', { retryable }),
})
const full: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_REFUSED', 'too_many_sessions', { retryable: true, full: true }),
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('speak' as const), ms: fc.constantFrom(60, 180, 600) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ready' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), retryable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('full' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('ack' as const), sequence: fc.nat(40), ok: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('result' as const), endMs: fc.nat(3_000), final: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('spoken' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('renew' as const), ms: fc.constantFrom(undefined, 0, 5_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(20, 100, 1_600, 6_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
)

const session: Schedule = {
  name: 'a session and its connections',
  runs: 1_000,
  property: fc.property(fc.array(step, { maxLength: 30, size: 'max' }), steps => {
    const s = sessionSetup()
    s.translator.autoReady = false
    const close = () => void s.session.close({ kind: 'hangup', by: 'local' })
    let taken = false
    let closed = false
    for (const each of steps) {
      const over = s.session.state.status === 'ended'
      // Any open connection can send, including a replacement that is not active yet.
      const open = s.translator.connections.filter(({ closed }) => !closed)
      must(open.length <= 2, 'one connection and its replacement')
      if (over) must(open.length === 0, 'a session that is over has none')
      const connection = open.at(-1)
      if (connection) connection.autoAck = false
      switch (each.do) {
        case 'speak':
          s.speak(each.ms)
          break
        case 'ready':
          if (connection && !connection.live) connection.sink.ready()
          break
        case 'drop':
          connection?.drop(ended(each.retryable))
          break
        case 'full':
          connection?.drop(full)
          break
        case 'ack':
          connection?.sink.acked(each.sequence, each.ok)
          break
        case 'result':
          connection?.sink.result({ utterance: '1', final: each.final, text: 'a', endMs: each.endMs })
          break
        case 'spoken':
          connection?.sink.endOfSpeech('1')
          break
        case 'renew':
          connection?.sink.renew?.(each.ms)
          break
        case 'wait':
          for (let ms = 0; ms < each.ms; ms += 100) {
            s.clock.advance(Math.min(100, each.ms - ms))
            s.session.check(s.clock.now())
          }
          break
        default:
          close()
      }
      if (over) must(s.session.state.status === 'ended', 'over is over')
      taken ||= s.session.state.status === 'live'
      closed ||= each.do === 'close'
      must(
        !taken || closed || s.session.state.status !== 'ended',
        'a session that was live never ends on its own',
      )
      must(s.session.state.status !== 'live' || s.session.lack === undefined, 'live is not away')
      const sent = s.translator.connections.reduce((sum, one) => sum + one.sent.length, 0)
      must(s.metrics.fragmentsSent === sent, 'what was sent is counted')
      for (const { sent } of s.translator.connections) inOrder(sent)
    }
    close()
    must(s.clock.pending === 0, `remaining timers: ${s.clock.pending}`)
    must(s.metrics.sessionsOpened === s.metrics.sessionsEnded, 'it ended as often as it was opened')
    must(s.metrics.lostMs === 0, 'no audio within the bound was lost')
    must(
      s.translator.connections.every(({ closed }) => closed),
      'no connection remains',
    )
  }),
}

/** On one connection fragments are in order; only after a rejection one is repeated. */
function inOrder(sent: readonly { sequence: number }[]): void {
  const first = new Set<number>()
  let newest = -1
  for (const { sequence } of sent) {
    if (!first.has(sequence)) must(sequence > newest, 'none is overtaken')
    first.add(sequence)
    newest = Math.max(newest, sequence)
  }
}

export const SESSION_SCHEDULES: readonly Schedule[] = [session]
