import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../../../src/bridges/discord/commands/command.ts'
import {
  parseCommand,
  parseTyping,
  type RawOption,
} from '../../../../src/bridges/discord/commands/command.ts'
import {
  parseButton,
  privacyButtons,
  resumeButton,
} from '../../../../src/bridges/discord/commands/privacy.ts'
import type { ConsentMode } from '../../../../src/bridges/discord/consent.ts'

const options = (values: object): RawOption[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
const typed = (sub: string, values: object = {}) =>
  parseCommand('interpret', [{ name: sub, options: options(values) }])

describe('a command', () => {
  test.each<[string, object, Command]>([
    ['start', {}, { kind: 'start', captionsOnly: false }],
    [
      'start',
      { channel: '1046021938471923712', 'captions-only': true, 'room-code': ' 482913 ' },
      { kind: 'start', channelId: '1046021938471923712', captionsOnly: true, roomCode: '482913' },
    ],
    ['stop', {}, { kind: 'stop' }],
    ['status', {}, { kind: 'status' }],
    ['invite', {}, { kind: 'invite' }],
    ['language', { language: 'es-es' }, { kind: 'language', language: 'es-es', remember: false }],
    [
      'language',
      { language: 'Deutsch', user: '12', remember: true },
      { kind: 'language', language: 'Deutsch', userId: '12', remember: true },
    ],
    ['output', { first: 'auto' }, { kind: 'output', first: 'auto' }],
    ['output', { first: 'en-us', second: 'es-es' }, { kind: 'output', first: 'en-us', second: 'es-es' }],
    ['captions', { style: 'plain', thread: false }, { kind: 'captions', style: 'plain', thread: false }],
    ['captions', {}, { kind: 'captions' }],
    ['dial', { number: '+34 600', language: 'es' }, { kind: 'dial', number: '+34 600', language: 'es' }],
    // Missing or invalid options.
    ['language', {}, { kind: 'unknown' }],
    ['language', { language: '   ' }, { kind: 'unknown' }],
    ['output', {}, { kind: 'unknown' }],
    ['captions', { style: 'gold' }, { kind: 'unknown' }],
    ['dial', { number: '+34600' }, { kind: 'unknown' }],
    ['privacy', {}, { kind: 'unknown' }],
    ['pause', {}, { kind: 'pause' }],
    ['resume', {}, { kind: 'resume' }],
    ['transcript', {}, { kind: 'transcript', format: 'text' }],
    ['transcript', { format: 'srt' }, { kind: 'transcript', format: 'srt' }],
    ['transcript', { format: 'pdf' }, { kind: 'unknown' }],
    ['sing', {}, { kind: 'unknown' }],
    // A value of the wrong type counts as absent.
    ['start', { channel: 'lounge', 'captions-only': 'yes' }, { kind: 'start', captionsOnly: false }],
  ])('%s %o', (sub, values, command) => expect(typed(sub, values)).toEqual(command))

  test.each(['info', 'opt-out', 'opt-in', 'forget'] as const)('privacy %s', wish => {
    const group = { name: 'privacy', options: [{ name: wish }] }
    expect(parseCommand('interpret', [group])).toEqual({ kind: 'privacy', wish })
  })

  test('with another or no name is unknown', () => {
    expect(parseCommand('translate', [{ name: 'stop' }])).toEqual({ kind: 'unknown' })
    expect(parseCommand('interpret', [])).toEqual({ kind: 'unknown' })
    expect(parseCommand('interpret', [{ name: 'stop' }, { name: 'stop' }])).toEqual({ kind: 'unknown' })
  })
})

test('the text being typed is recognized in options with choices', () => {
  const focused = (sub: string, name: string, value: unknown) =>
    parseTyping('interpret', [{ name: sub, options: [{ name, value: value as string, focused: true }] }])
  expect(focused('language', 'language', 'de')).toEqual({ purpose: 'speak', text: 'de' })
  expect(focused('dial', 'language', '')).toEqual({ purpose: 'speak', text: '' })
  expect(focused('output', 'first', 'a')).toEqual({ purpose: 'hear-or-auto', text: 'a' })
  expect(focused('output', 'second', 'a')).toEqual({ purpose: 'hear', text: 'a' })
  expect(focused('dial', 'number', '1')).toBeUndefined()
  expect(focused('language', 'language', 5)).toBeUndefined()
  expect(focused('language', 'language', 'x'.repeat(5_000))?.text).toHaveLength(100)
})

describe('any input', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined))
  const names = fc.oneof(
    fc.constantFrom('start', 'stop', 'language', 'output', 'captions', 'privacy', 'dial', 'invite', 'status'),
    fc.constantFrom('channel', 'room-code', 'user', 'first', 'second', 'style', 'number', '__proto__'),
    fc.string(),
  )
  const { option } = fc.letrec<{ option: RawOption }>(tie => ({
    option: fc.record(
      {
        name: names,
        value,
        focused: fc.boolean(),
        options: fc.array(tie('option'), { maxLength: 4 }),
      },
      { requiredKeys: ['name'] },
    ),
  }))

  test('becomes one of our commands, with texts of limited size', () => {
    fc.assert(
      fc.property(fc.constantFrom('interpret', 'other'), fc.array(option, { maxLength: 3 }), (name, data) => {
        const command = parseCommand(name, data)
        for (const text of Object.values(command).filter(each => typeof each === 'string'))
          expect(text.length).toBeLessThanOrEqual(100)
        if (command.kind === 'start' && command.channelId !== undefined)
          expect(command.channelId).toMatch(/^\d{1,20}$/)
        if (command.kind === 'language') expect(command.language.trim()).not.toBe('')
        expect(parseTyping(name, data)?.text.length ?? 0).toBeLessThanOrEqual(100)
      }),
      { numRuns: 2_000 },
    )
  })

  test('is either our button or not', () => {
    fc.assert(
      fc.property(fc.string(), id => {
        if (!id.startsWith('dragoman:')) expect(parseButton(id)).toBeUndefined()
      }),
    )
    expect(parseButton('dragoman:sing')).toEqual({ kind: 'unknown' })
    const kinds = (mode?: ConsentMode) =>
      privacyButtons('de', mode).components.map(({ custom_id }) => parseButton(custom_id))
    const wish = (wish: string) => ({ kind: 'privacy', wish })
    expect(kinds()).toEqual([...['opt-out', 'opt-in', 'info'].map(wish), { kind: 'pause' }])
    expect(kinds('opt-in')).toEqual([...['opt-in', 'opt-out', 'info'].map(wish), { kind: 'pause' }])
    expect(resumeButton('de').components.map(each => parseButton(each.custom_id))).toEqual([
      { kind: 'resume' },
    ])
  })
})
