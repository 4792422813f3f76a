import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChannelMember } from '../../../../src/bridges/discord/channel/people.ts'
import { ChannelRoom } from '../../../../src/bridges/discord/channel/room.ts'
import { VoiceCasting } from '../../../../src/bridges/discord/channel/voice-casting.ts'
import type { OutputLanguages } from '../../../../src/bridges/discord/contract.ts'
import { LinkCounters } from '../../../../src/bridges/discord/counters.ts'
import { OutputPacer } from '../../../../src/bridges/discord/voice/channel-output.ts'
import type { PacketPlayer, PacketSource } from '../../../../src/bridges/discord/voice/rtp-packet.ts'
import { rooms } from '../../../support/relay/rooms.ts'

/** A link that records who is listened to. */
class Link implements PacketSource, PacketPlayer {
  readonly listening = new Set<string>()
  readonly ended = new Promise<never>(() => {})
  readonly playable = true

  listen(userId: string): void {
    this.listening.add(userId)
  }

  unlisten(userId: string): void {
    this.listening.delete(userId)
  }

  play(): void {}

  setSpeaking(): void {}
}

async function started() {
  const line = await rooms()
  const link = new Link()
  const { relay, clock, log } = line
  const room = new ChannelRoom({
    ...{ id: 'c', guildId: '1', room: 'r', link, voice: true, fallback: 'en-us' },
    ...{ relay, admission: relay, pacer: new OutputPacer(clock), counters: new LinkCounters(), log },
    casting: new VoiceCasting({ offered: () => [] }),
    onFull: () => expect.unreachable(),
    onLost: () => expect.unreachable(),
  })
  return { ...line, link, room }
}

const USERS = ['ana', 'ben', 'cleo', 'dan']
const LANGUAGES = ['en-us', 'en-gb', 'es-es', 'fr-fr']

interface Happening {
  readonly user: string
  readonly language: string
  readonly consents: boolean
  readonly there: boolean
  readonly output: OutputLanguages
  readonly captions: boolean
  readonly waitMs: number
}

const happening: fc.Arbitrary<Happening> = fc.record({
  user: fc.constantFrom(...USERS),
  language: fc.constantFrom(...LANGUAGES),
  consents: fc.boolean(),
  there: fc.boolean(),
  output: fc.constantFrom<OutputLanguages>('auto', 'auto', ['es-es'], ['fr-fr', 'en-us']),
  captions: fc.boolean(),
  waitMs: fc.constantFrom(0, 20, 500, 12_000),
})

it('in any sequence of events, exactly the consenting members are listened to, and the output matches the needs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 12 }), async happenings => {
      const { room, link, relay, run } = await started()
      const members = new Map<string, ChannelMember>()
      for (const { user, language, consents, there, output, captions, waitMs } of happenings) {
        members.delete(user)
        if (there)
          members.set(user, {
            userId: user,
            name: user,
            language,
            languageFrom: 'asked',
            consents,
            excludedBy: consents ? undefined : 'opted-out',
            roleIds: [],
            informed: true,
            speaks: true,
          })
        const wants = { members: [...members.values()], output, captions }
        room.speakers.silenceAll(wants.members)
        room.fit(wants)
        // Immediately, not only after everything has settled.
        const heard = wants.members.filter(member => member.consents)
        expect([...link.listening].sort()).toEqual(heard.map(({ userId }) => userId).sort())
        await run(Math.max(20, waitMs))
        const parties = room.participants.filter(({ present }) => present)
        const speaking = parties.flatMap(({ state }) =>
          state.speaks ? [`${state.name} ${state.speaks}`] : [],
        )
        expect(speaking.sort()).toEqual(heard.map(({ userId, language: of }) => `${userId} ${of}`).sort())
        const hearing = parties.flatMap(({ state, invitation }) =>
          state.hears ? [`${invitation.receives} ${state.hears}`] : [],
        )
        const { spoken, readers } = room.choice
        expect(hearing.sort()).toEqual(
          [...spoken.map(each => `audio ${each}`), ...readers.map(each => `captions ${each}`)].sort(),
        )
        expect(parties.every(({ state }) => state.interpreting)).toBe(true)
      }
      await room.close({ kind: 'hangup', by: 'local' })
      await run(20_000)
      expect([relay.legs, relay.rooms.size, link.listening.size]).toEqual([0, 0, 0])
    }),
    { seed: 11, numRuns: 40 },
  )
})
