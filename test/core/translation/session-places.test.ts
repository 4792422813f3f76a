import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { type PlaceUser, SessionPlaces } from '../../../src/core/translation/session-places.ts'

const ROUND_TRIP_MS = 20
const USERS = 6

/** Users of a service with some places, which accepts or refuses a connection after a round trip. */
function service(capacity: number) {
  const clock = new FakeClock()
  const places = new SessionPlaces(clock)
  const taken = new Set<User>()
  /** The users in the order in which they spoke, and in which they got their places. */
  const spoke: User[] = []
  const got: User[] = []

  class User implements PlaceUser {
    readonly request: PlaceUser['request']
    spokeAt = 0
    wants = false
    told = false

    constructor(to: string) {
      this.request = { from: 'en-us', to }
    }

    speak(): void {
      if (this.wants) return
      this.wants = true
      this.spokeAt = clock.now()
      spoke.push(this)
      if (places.enter(this)) this.tryPlace()
    }

    tryPlace(): void {
      clock.at(clock.now() + ROUND_TRIP_MS, () => {
        if (!this.wants) return
        if (taken.size >= capacity) places.refused(this)
        else {
          taken.add(this)
          got.push(this)
          this.told = false
          places.take(this)
        }
      })
    }

    noPlace(): void {
      this.told = true
    }

    yieldPlace(): boolean {
      return false
    }

    stop(): void {
      if (!this.wants) return
      this.wants = false
      places.leave(this)
      // The service notices the end later.
      clock.at(clock.now() + ROUND_TRIP_MS, () => void taken.delete(this))
      if (!taken.has(this)) spoke.splice(spoke.lastIndexOf(this), 1)
    }
  }

  const users = ['es-es', 'es-es', 'de-de', 'fr-fr', 'es-es', 'de-de'].map(to => new User(to))
  return { clock, places, taken, spoke, got, users }
}

const step = fc.record({
  who: fc.nat(USERS - 1),
  do: fc.constantFrom('speak' as const, 'speak' as const, 'stop' as const),
  ms: fc.constantFrom(0, 5, 40, 1_000),
})

test('whoever asks gets a place in the order of asking, as soon as there is one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 40 }), (capacity, steps) => {
      const s = service(capacity)
      for (const { who, do: act, ms } of steps) {
        s.users[who]![act]()
        // Whoever stops has to be gone from the service before they ask again.
        for (let at = 0; at < Math.max(ms, act === 'stop' ? 3 * ROUND_TRIP_MS : 0); at += 5)
          s.clock.advance(5)
      }
      for (let at = 0; at < 3_000; at += 5) s.clock.advance(5)
      expect(s.got).toEqual(s.spoke.slice(0, s.got.length))
      const wanting = s.users.filter(({ wants }) => wants)
      expect(s.taken.size).toBe(Math.min(capacity, wanting.length))
      // Those without a place know it, and only they.
      expect(wanting.filter(({ told }) => told)).toEqual(wanting.filter(user => !s.taken.has(user)))
      expect(s.places.waiting).toBe(wanting.length - s.taken.size)
      for (const user of s.users) user.stop()
      for (let at = 0; at < 100; at += 5) s.clock.advance(5)
      expect([s.places.waiting, s.clock.pending]).toEqual([0, 0])
    }),
    { numRuns: 300 },
  )
})
