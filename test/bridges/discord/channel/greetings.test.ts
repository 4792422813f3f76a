import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import type { ChannelMember } from '../../../../src/bridges/discord/channel/people.ts'
import { Greetings } from '../../../../src/bridges/discord/channel/welcome.ts'

const member = (userId: string, consents = true): ChannelMember => ({
  userId,
  name: userId,
  language: 'en-us',
  languageFrom: 'default',
  consents,
  excludedBy: consents ? undefined : 'opted-out',
  roleIds: [],
  informed: false,
  speaks: true,
})

function started() {
  const clock = new FakeClock(1_000)
  const greeted: string[][] = []
  const greetings = new Greetings(clock, newcomers => greeted.push(newcomers.map(({ userId }) => userId)))
  return { clock, greeted, greetings }
}

describe('greetings', () => {
  it('notify newcomers, together with others who join at the same time', () => {
    const { clock, greeted, greetings } = started()
    greetings.greeted([member('ana')])
    greetings.see([member('ana'), member('ben')])
    clock.advance(100)
    greetings.see([member('ana'), member('ben'), member('cleo')])
    clock.advance(5_000)
    expect(greeted).toEqual([['ben', 'cleo']])
  })

  it('notify each member once, regardless of how often they come and go', () => {
    const { clock, greeted, greetings } = started()
    for (let n = 0; n < 20; n++) {
      greetings.see([member('ben')])
      clock.advance(3_000)
      greetings.see([])
      clock.advance(3_000)
    }
    expect(greeted).toEqual([['ben']])
  })

  it('are sent at most every three seconds in a busy channel', () => {
    const { clock, greeted, greetings } = started()
    for (let n = 0; n < 100; n++) {
      greetings.see(Array.from({ length: n + 1 }, (_, each) => member(`user ${each}`)))
      clock.advance(500)
    }
    clock.advance(20_000)
    expect(greeted.length).toBeLessThanOrEqual(19)
    expect(greeted.flat().length).toBe(100)
  })

  it('skip members who opted out or have left', () => {
    const { clock, greeted, greetings } = started()
    greetings.see([member('ben', false), member('cleo')])
    greetings.see([member('ben', false)])
    clock.advance(20_000)
    expect(greeted).toEqual([])
    greetings.see([member('ben')])
    greetings[Symbol.dispose]()
    clock.advance(20_000)
    expect(greeted).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
