import { PermissionFlagsBits } from 'discord.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CommandContext, Place } from '../../../../src/bridges/discord/commands/command-context.ts'
import {
  allPermissions,
  neededFor,
  USED_PERMISSIONS,
} from '../../../../src/bridges/discord/commands/permissions.ts'
import { fitting, withCommands } from '../../../../src/bridges/discord/commands/reply.ts'
import { faultText, startFaults } from '../../../../src/bridges/discord/commands/start-faults.ts'
import { CATALOGS } from '../../../../src/messages/catalogs.ts'

const place = (change: Partial<Place> = {}): Place => ({
  id: '1',
  kind: 'voice',
  granted: allPermissions(),
  askersOwn: PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect,
  memberIds: ['7'],
  userLimit: 0,
  afk: false,
  ...change,
})
const scene = (change: Partial<CommandContext> = {}): CommandContext => ({
  guildId: '3',
  guildLocale: 'en-US',
  channelId: '2',
  asker: { id: '7', name: 'Ben', locale: 'en-US', permissions: 0n, roleIds: [], voiceChannelId: '1' },
  botRole: 'bot',
  botTimedOut: false,
  place: () => undefined,
  nameOf: () => '',
  say: async () => {},
  ...change,
})
const kinds = (where: CommandContext, voice: Place | undefined, captionsOnly = false) =>
  startFaults(where, { voice, text: voice, captionsOnly }).map(({ kind }) => kind)

describe('a start is possible', () => {
  test('with all permissions', () => expect(kinds(scene(), place())).toEqual([]))
  test('for an administrator', () =>
    expect(kinds(scene(), place({ granted: PermissionFlagsBits.Administrator }))).toEqual([]))
})

describe('a start is prevented by', () => {
  test.each<[string, CommandContext, Place | undefined, string[]]>([
    ['no channel', scene(), undefined, ['join-first']],
    ['a channel without voice', scene(), place({ kind: 'text' }), ['no-voice']],
    ['the inactive channel', scene(), place({ afk: true }), ['rest']],
    ['a time-out of the bot', scene({ botTimedOut: true }), place(), ['timed-out']],
    ['a full channel', scene(), place({ userLimit: 1 }), ['full']],
    [
      'several problems at once',
      scene({ botTimedOut: true }),
      place({ userLimit: 1, granted: 0n }),
      ['timed-out', 'missing', 'full'],
    ],
  ])('%s', (_what, where, voice, faults) => expect(kinds(where, voice)).toEqual(faults))

  test('exactly the missing permissions among those needed', () => {
    fc.assert(
      fc.property(
        fc.subarray([...USED_PERMISSIONS]),
        fc.boolean(),
        fc.boolean(),
        (names, stage, captionsOnly) => {
          let granted = 0n
          for (const name of names) granted |= PermissionFlagsBits[name]
          const voice = place({ granted, kind: stage ? 'stage' : 'voice' })
          const faults = startFaults(scene(), { voice, text: voice, captionsOnly })
          const speaking = stage ? 'stage' : 'speak'
          const needed = neededFor(captionsOnly ? ['listen', 'write'] : ['listen', speaking, 'write'])
          const missing = needed.filter(name => !names.includes(name))
          expect(faults.flatMap(each => (each.kind === 'missing' ? each.permissions : []))).toEqual(missing)
          const text = faultText(faults, CATALOGS.de.discord.replies, 'bot')
          for (const name of USED_PERMISSIONS)
            expect(text.includes(`- **${CATALOGS.de.discord.replies.permissions[name]}**`)).toBe(
              missing.includes(name),
            )
        },
      ),
    )
  })
})

test('answers fit, and command names become clickable', () => {
  const long = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n')
  expect(fitting(long).length).toBeLessThanOrEqual(2_000)
  expect(fitting(long)).toMatch(/\nline \d+\n…$/)
  expect(fitting('x'.repeat(5_000)).length).toBeLessThanOrEqual(2_000)
  expect(fitting('short')).toBe('short')
  const text = 'Use `/interpret privacy opt-out`, `/interpret start` or `/interpret start room-code:1`.'
  expect(withCommands(text, '9')).toBe(
    'Use </interpret privacy opt-out:9>, </interpret start:9> or `/interpret start room-code:1`.',
  )
})
