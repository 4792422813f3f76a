import fc from 'fast-check'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../src/bridges/discord/counters.ts'
import type { LinkConnection, VoiceLinkState } from '../../../src/bridges/discord/voice/link-options.ts'
import type { ConnectionWatcher } from '../../../src/bridges/discord/voice/patches/patched-connection.ts'
import { VoiceLink } from '../../../src/bridges/discord/voice/voice-link.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

/** Consecutive failures before a link stops; the minimum that distinguishes another attempt from many. */
const ATTEMPTS = 3
/** After this long, a link counts as recovered (ms). */
const WELL_MS = 30_000
/** Longer than all consecutive waits of a link: it will not recover after this. */
const FOR_GOOD_MS = 10 * 60_000

/** A connection that follows the schedule. */
class FakeConnection implements LinkConnection {
  readonly watcher: ConnectionWatcher
  destroyed = false
  ready = false
  played = 0
  readonly asked: () => void

  constructor(watcher: ConnectionWatcher, asked: () => void) {
    this.watcher = watcher
    this.asked = asked
    asked()
  }

  rejoin(): void {
    must(!this.destroyed, 'destroyed links are not requested')
    this.asked()
  }
  play(): void {
    must(!this.destroyed, 'a destroyed link plays nothing')
    this.played++
  }
  setSpeaking(): void {
    must(!this.destroyed, 'a destroyed link sends nothing')
  }
  check(): void {}
  destroy(): void {
    this.destroyed = true
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'ready' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'connecting' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('closed' as const),
      code: fc.constantFrom(1006, 4004, 4006, 4009, 4011, 4014, 4015, 4016, 4017, 4021, 4022),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'unsent' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('where' as const),
      channel: fc.constantFrom('c', 'd', undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('server' as const), endpoint: fc.constantFrom('e', undefined) }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'dropped' as const }, { do: 'leave' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'ask' as const }, { do: 'gateway' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(100, 600, 2_000, 5_500, 10_000, 31_000),
    }),
  },
)

const link: Schedule = {
  name: 'the link of a Discord channel',
  runs: 2_000,
  property: fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async steps => {
    const clock = new FakeClock(1_000)
    const made: FakeConnection[] = []
    const states: VoiceLinkState[] = []
    let gatewayUp = true
    let asked = 0
    let readyAt: number | undefined
    const link = new VoiceLink({
      guildId: 'g',
      channelId: 'c',
      userId: 'bot',
      adapterCreator: () => ({ sendPayload: () => true, destroy: () => {} }),
      clock,
      log: noopLogger,
      counters: new LinkCounters(),
      gatewayUp: () => gatewayUp,
      limits: { attemptsMost: ATTEMPTS, random: () => 0.5 },
      watcher: {
        state: state => {
          states.push(state)
          readyAt = state === 'ready' ? clock.now() : undefined
        },
      },
      connect: (_terms, watcher) => {
        made.push(new FakeConnection(watcher, () => void asked++))
        return made.at(-1)!
      },
    })
    const ends: unknown[] = []
    void link.ended.then(end => ends.push(end))
    void link.join()
    /** Requests since it recovered, except for our own. */
    let since = 0
    const holds = () => {
      const live = made.filter(({ destroyed }) => !destroyed)
      must(live.length <= 1, 'never two connections')
      must(link.state !== 'ready' || live.length === 1, 'a link that is ready has a connection')
      // In addition to the check once a second.
      const waits = link.state === 'joining' || link.state === 'reconnecting'
      must(!waits || clock.pending === 2, 'who is neither there nor at the end has one next step')
      must(states.indexOf('ended') < 0 || states.indexOf('ended') === states.length - 1, 'the end is the end')
      must(
        states.every((state, at) => state !== states[at - 1]),
        'a state is reported once',
      )
      if (link.state !== 'ended') return
      must(live.length === 0, 'an ended link leaves nothing')
      must(clock.pending === 0, `remaining timers: ${clock.pending}`)
    }
    for (const each of steps) {
      const now = made.find(({ destroyed }) => !destroyed)
      const before = asked
      if (each.do === 'wait') {
        for (let ms = 0; ms < each.ms; ms += 500) {
          clock.advance(Math.min(500, each.ms - ms))
          holds()
        }
        if (readyAt !== undefined && clock.now() - readyAt >= WELL_MS) since = asked
      } else if (each.do === 'leave') void link.leave({ kind: 'parent-closed' })
      else if (each.do === 'ask') link.askAgain()
      else if (each.do === 'gateway') gatewayUp = !gatewayUp
      else if (each.do === 'closed') now?.watcher.closed(each.code)
      else if (each.do === 'where') now?.watcher.voiceState(each.channel)
      else if (each.do === 'server') now?.watcher.voiceServer(each.endpoint)
      else {
        if (now && each.do !== 'unsent') now.ready = each.do === 'ready'
        now?.watcher[each.do]()
        // Unsent requests never reached Discord.
        if (now && each.do === 'unsent') since++
      }
      if (each.do === 'ask') since += asked - before
      must(asked - since <= ATTEMPTS + 1, `requests to Discord are limited: ${asked - since}`)
      const played = now?.played ?? 0
      link.play(new Uint8Array(3))
      link.setSpeaking(true)
      must((now?.played ?? 0) - played <= Number(link.playable), 'an inaudible link does not speak')
      holds()
    }
    // From here on nothing happens any longer: it is either connected or reports that it is not.
    const there = link.state === 'ready'
    clock.advance(FOR_GOOD_MS)
    holds()
    must(link.state === 'ended' || (there && link.state === 'ready'), `it hangs: ${link.state}`)
    void link.leave({ kind: 'parent-closed' })
    holds()
    await link.ended
    must(ends.length === 1, 'it ends once')
  }),
}

export const LINK_SCHEDULES: readonly Schedule[] = [link]
