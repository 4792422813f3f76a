import { describe, expect, it } from 'vitest'
import { FakeLeg } from '../../../../simulator/fakes/fake-leg.ts'
import { LanguageLegs } from '../../../../src/bridges/discord/channel/language-legs.ts'
import type { ChannelMember } from '../../../../src/bridges/discord/channel/people.ts'
import { Speakers } from '../../../../src/bridges/discord/channel/speakers.ts'
import { BridgeError } from '../../../../src/common/errors.ts'
import type { Admission } from '../../../../src/core/model/invitation.ts'
import { wakeSessions } from '../../../support/relay/hello.ts'
import { rooms } from '../../../support/relay/rooms.ts'

const member = (userId: string, language: string, more: Partial<ChannelMember> = {}): ChannelMember => ({
  userId,
  name: userId,
  language,
  languageFrom: 'default',
  consents: true,
  excludedBy: undefined,
  roleIds: [],
  informed: true,
  speaks: true,
  ...more,
})

async function started(most = 100) {
  const line = await rooms()
  const { relay } = line
  const lost: string[] = []
  const refused: BridgeError[] = []
  let made = 0
  const admission: Admission = {
    admit: (leg, invitation) => {
      if (relay.legs >= most) throw new BridgeError('CAPACITY', 'full')
      relay.admit(leg, invitation)
    },
  }
  const place = { room: 'r', sharedSpace: 'here', echo: false }
  const ears = new LanguageLegs({
    relay,
    admission,
    invitation: { ...place, receives: 'audio' },
    leg: language => new FakeLeg(`ear ${++made} ${language}`),
    onLost: ({ kind }) => lost.push(kind),
  })
  const speakers = new Speakers({
    relay,
    admission,
    invitation: { ...place, receives: 'none' },
    leg: userId => new FakeLeg(`${userId} ${++made}`, userId),
    onFull: error => refused.push(error),
  })
  const state = (userId: string) => speakers.of(userId)?.state
  return { ...line, ears, speakers, lost, refused, state }
}

describe('participants for the languages of a channel', () => {
  it('join and leave with the languages', async () => {
    const { ears, relay, run } = await started()
    ears.fit(['en-us', 'es-es'])
    expect(ears.all.map(({ state }) => state.hears)).toEqual(['en-us', 'es-es'])
    ears.fit(['es-es'])
    expect(ears.all.map(({ state }) => state.hears)).toEqual(['es-es'])
    await run(20)
    expect(relay.legs).toBe(1)
  })

  it('switch to another language without leaving', async () => {
    const { ears, relay } = await started()
    ears.fit(['en-us', 'es-es'], 'off')
    const ids = ears.all.map(({ id }) => id)
    ears.fit(['fr-fr', 'es-es'], 'off')
    expect(ears.languages).toEqual(['es-es', 'fr-fr'])
    expect(ears.all.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(ears.of('fr-fr')?.state).toMatchObject({ hears: 'fr-fr', original: 'off' })
    expect(relay.metrics.legsEnded).toBe(0)
    ears.fit(['fr-fr'], 'duck')
    expect(ears.of('fr-fr')?.state.original).toBe('duck')
  })

  it('are reported when they end unexpectedly, not when they are released', async () => {
    const { ears, lost } = await started()
    ears.fit(['en-us', 'es-es'])
    ears.fit(['es-es'])
    await ears.of('es-es')?.hangUp()
    expect(lost).toEqual(['hangup'])
    ears.fit(['es-es'])
    expect(ears.all.length).toBe(1)
  })

  it('leave the others intact when one is rejected', async () => {
    const { ears } = await started(2)
    ears.fit(['en-us', 'es-es'])
    expect(() => ears.fit(['es-es', 'fr-fr', 'de-de'])).toThrow(expect.objectContaining({ code: 'CAPACITY' }))
    expect(ears.languages).toEqual(['es-es', 'fr-fr'])
  })
})

describe('the speakers of a channel', () => {
  it('are the members who consent and can speak', async () => {
    const { speakers, relay } = await started()
    const people = [
      member('ana', 'es-es'),
      member('ben', 'en-us', { consents: false }),
      member('cleo', 'fr-fr', { speaks: false }),
    ]
    speakers.fit(people)
    expect(['ana', 'ben', 'cleo'].map(each => speakers.of(each) !== undefined)).toEqual([true, false, false])
    expect(speakers.complete(people)).toBe(true)
    expect(relay.legs).toBe(1)
  })

  it('change language with the next frame, without an intermediate session', async () => {
    const { speakers, ears, translator, state, run, relay, clock } = await started()
    const people = [member('ana', 'es-es'), member('ben', 'en-us')]
    ears.fit(['es-es', 'en-us'])
    speakers.fit(people)
    await run(100)
    const changed = [member('ana', 'es-es'), member('ben', 'fr-fr', { name: 'Benoît' })]
    speakers.prepare(changed)
    ears.fit(['es-es', 'fr-fr'])
    speakers.fit(changed)
    expect(state('ben')).toMatchObject({ speaks: 'fr-fr', name: 'Benoît', interpreting: true })
    wakeSessions(relay, clock.now())
    const pairs = translator.connections.map(({ request: { from, to } }) => `${from} ${to}`)
    expect(pairs).toEqual(['es-es en-us', 'en-us es-es', 'es-es fr-fr', 'fr-fr es-es'])
  })

  it('are interpreted although someone before them is rejected', async () => {
    const { speakers, ears, translator, state, run, refused } = await started(2)
    ears.fit(['es-es'])
    speakers.fit([member('ben', 'en-us')])
    const changed = [member('ana', 'es-es'), member('cleo', 'fr-fr'), member('ben', 'fr-fr')]
    speakers.prepare(changed)
    speakers.fit(changed)
    await run(100)
    expect(state('ben')).toMatchObject({ speaks: 'fr-fr', interpreting: true })
    expect(translator.connections.at(-1)?.request).toMatchObject({ from: 'fr-fr', to: 'es-es' })
    // Two were rejected, which is reported once.
    expect(refused.map(({ code }) => code)).toEqual(['CAPACITY'])
  })

  it('keep their identity when they return soon', async () => {
    const { speakers, run } = await started()
    speakers.fit([member('ana', 'es-es'), member('ben', 'en-us')])
    const party = speakers.of('ana')
    speakers.fit([member('ben', 'en-us')])
    await run(2_000)
    speakers.fit([member('ana', 'fr-fr'), member('ben', 'en-us')])
    expect(speakers.of('ana')).toBe(party)
    expect(party?.state.speaks).toBe('fr-fr')
  })

  it('are removed immediately with their speech when they opt out', async () => {
    const { speakers, ears, relay, translator, run, answer, legs, captions } = await started()
    ears.fit(['en-us'])
    speakers.fit([member('ana', 'es-es')])
    await run(200)
    answer('es-es', 'en-us', 700, 2_000)
    const party = speakers.of('ana')?.id
    const voices = () => ears.all[0]?.playout.voices.get(party!)
    expect(voices()?.translation.active).toBe(true)
    expect(speakers.silenceAll([member('ana', 'es-es', { consents: false })])).toEqual([party])
    expect(voices()?.translation.active ?? false).toBe(false)
    expect(translator.connections.every(({ closed }) => closed)).toBe(true)
    await run(200)
    expect(relay.legs).toBe(1)
    expect(captions.length).toBe(1)
    expect(legs.size).toBe(0)
    // They are new participants when they opt in again.
    speakers.fit([member('ana', 'es-es')])
    expect(speakers.of('ana')?.id).not.toBe(party)
  })

  it('are rejected without capacity, and admitted later', async () => {
    const { speakers, ears, refused, run } = await started(2)
    const people = [member('ana', 'es-es'), member('ben', 'en-us')]
    ears.fit(['en-us'])
    speakers.fit(people)
    expect([refused.length, speakers.complete(people)]).toEqual([1, false])
    // Ana leaves, and opts out so that her place is not kept.
    speakers.silenceAll([member('ana', 'es-es', { consents: false })])
    await run(20)
    speakers.fit([member('ben', 'en-us')])
    expect(speakers.of('ben')).toBeDefined()
  })
})
