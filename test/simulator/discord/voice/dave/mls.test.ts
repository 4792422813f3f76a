import { DAVESession } from '@snazzah/davey'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExternalSender } from '../../../../../simulator/discord/voice/dave/commit-race.ts'
import {
  lengthPrefix,
  MlsReader,
  readCommitWelcome,
  vector,
} from '../../../../../simulator/discord/voice/dave/mls.ts'

const CHANNEL = '300000000000000002'

describe('the length of a vector', () => {
  // The examples of RFC 9000, 16, whose shortest forms MLS uses.
  it.each([
    [37, '25'],
    [15_293, '7bbd'],
    [494_878_333, '9d7f3e7d'],
    [63, '3f'],
    [64, '4040'],
    [16_383, '7fff'],
    [16_384, '80004000'],
  ])('%i is %s', (length, hex) => expect(lengthPrefix(length).toString('hex')).toBe(hex))

  it('ends below 2³⁰', () => expect(() => lengthPrefix(2 ** 30)).toThrow(RangeError))

  it.each(['c0', '4001', '80000001', '7f', ''])('is not read from %s', hex =>
    expect(() => new MlsReader(Buffer.from(hex, 'hex')).vector()).toThrow(RangeError),
  )

  it('round-trips', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), parts => {
        const reader = new MlsReader(Buffer.concat(parts.map(vector)))
        expect(parts.map(() => reader.vector())).toEqual(parts.map(part => Buffer.from(part)))
        expect(reader.atEnd).toBe(true)
      }),
    )
  })
})

/** Members of a group that `first` founds, and the messages it sent for that. */
function founded(size: number) {
  const sender = new ExternalSender(CHANNEL)
  const ids = Array.from({ length: size }, (_, index) => String(400_000_000_000_000_000n + BigInt(index)))
  const members = ids.map(id => {
    const session = new DAVESession(1, id, CHANNEL)
    session.setExternalSender(sender.description)
    return { session, keyPackage: session.getSerializedKeyPackage() }
  })
  const [first, ...others] = members
  const proposals = others.map(({ keyPackage }) => sender.add(keyPackage, 0n))
  const list = vector(Buffer.concat(proposals.map(({ bytes }) => bytes)))
  const { commit, welcome } = first!.session.processProposals(0, list, ids)
  return { sender, ids, members, first: first!.session, proposals, commit: commit!, welcome: welcome! }
}

describe('a commit with its welcome', () => {
  it.each([2, 3, 9, 30])('is split at the correct byte in a group of %i', size => {
    const { proposals, commit, welcome } = founded(size)
    const read = readCommitWelcome(Buffer.concat([commit, welcome]))
    expect(read.commit).toEqual(commit)
    expect(read.welcome).toEqual(welcome)
    expect(read).toMatchObject({ groupId: BigInt(CHANNEL), epoch: 0n, sender: 0 })
    expect(new Set(read.proposals.map(String))).toEqual(
      new Set(proposals.map(({ reference }) => String(reference))),
    )
  })

  it('contains the leaves, assigned in its order', () => {
    const { first, members, proposals, commit, welcome } = founded(6)
    const read = readCommitWelcome(Buffer.concat([commit, welcome]))
    first.processCommit(read.commit)
    for (const { session } of members.slice(1)) session.processWelcome(read.welcome!)
    const order = read.proposals.map(
      reference => proposals.findIndex(each => each.reference.equals(reference)) + 1,
    )
    expect([0, ...order].map(index => members[index]!.session.ownLeafIndex)).toEqual([0, 1, 2, 3, 4, 5])
    expect(new Set(members.map(({ session }) => session.voicePrivacyCode)).size).toBe(1)
  })

  it('has no welcome if it only removes', () => {
    const { sender, ids, members, first, commit, welcome } = founded(3)
    first.processCommit(commit)
    for (const { session } of members.slice(1)) session.processWelcome(welcome)
    const { session } = members[1]!
    const remove = sender.remove(2, 1n)
    const made = session.processProposals(0, vector(remove.bytes), ids)
    const read = readCommitWelcome(made.commit!)
    expect(read.welcome).toBeUndefined()
    expect(read).toMatchObject({ epoch: 1n, sender: 1, proposals: [remove.reference] })
    first.processProposals(0, vector(remove.bytes), ids)
    first.processCommit(made.commit!)
    expect(first.getUserIds()).toEqual(ids.slice(0, 2))
  })

  it('is rejected with a RangeError if it is cut or changed, and never read beyond its end', () => {
    const { commit, welcome } = founded(3)
    const payload = Buffer.concat([commit, welcome])
    for (let length = 0; length < commit.length; length++)
      expect(() => readCommitWelcome(payload.subarray(0, length))).toThrow(RangeError)
    fc.assert(
      fc.property(fc.nat(payload.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const copy = Buffer.from(payload)
        copy[at] = copy[at]! ^ change
        try {
          expect(readCommitWelcome(copy).commit.length).toBeLessThanOrEqual(copy.length)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        expect(() => readCommitWelcome(Buffer.from(bytes))).toThrow(RangeError)
      }),
    )
  })
})
