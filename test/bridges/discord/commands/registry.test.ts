import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CommandOptions, type RawOption } from '../../../../src/bridges/discord/commands/command-options.ts'
import {
  parseButton,
  privacyButtons,
  resumeButton,
} from '../../../../src/bridges/discord/commands/notice-buttons.ts'
import { parseCommand, parseTyping, SUBCOMMANDS } from '../../../../src/bridges/discord/commands/registry.ts'

const options = (values: object): RawOption[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
const understood = (data: readonly RawOption[]) => parseCommand(data).invocation !== undefined

describe('a command', () => {
  test.each<[string, object, boolean]>([
    ['start', {}, true],
    ['start', { channel: '1046021938471923712', 'captions-only': true, 'room-code': ' 482913 ' }, true],
    ['stop', {}, true],
    ['status', {}, true],
    ['invite', {}, true],
    ['listen', {}, true],
    ['language', { language: 'es-es' }, true],
    ['language', { language: 'Deutsch', user: '12', remember: true }, true],
    ['output', { first: 'auto' }, true],
    ['output', { first: 'en-us', second: 'es-es' }, true],
    ['captions', { style: 'plain', thread: false }, true],
    ['captions', {}, true],
    ['dial', { number: '+34 600', language: 'es' }, true],
    ['pause', {}, true],
    ['resume', {}, true],
    ['transcript', {}, true],
    ['transcript', { format: 'srt' }, true],
    // A value of the wrong type counts as absent.
    ['start', { channel: 'lounge', 'captions-only': 'yes' }, true],
    // Missing or invalid options.
    ['language', {}, false],
    ['language', { language: '   ' }, false],
    ['output', {}, false],
    ['captions', { style: 'gold' }, false],
    ['dial', { number: '+34600' }, false],
    ['privacy', {}, false],
    ['transcript', { format: 'pdf' }, false],
    ['sing', {}, false],
  ])('%s %o is understood: %s', (name, values, expected) =>
    expect(understood([{ name, options: options(values) }])).toBe(expected),
  )

  test.each(['info', 'opt-out', 'opt-in', 'forget'])('privacy %s is understood', name => {
    const { invocation } = parseCommand([{ name: 'privacy', options: [{ name }] }])
    expect(invocation).toMatchObject({ unlimited: name === 'opt-out' })
  })

  test('with several names or none is not understood', () => {
    expect(understood([])).toBe(false)
    expect(understood([{ name: 'stop' }, { name: 'stop' }])).toBe(false)
  })

  test('that takes long is acknowledged at once', () => {
    const given = options({ language: 'es', first: 'es', number: '+34600' })
    const slow = SUBCOMMANDS.filter(({ parse }) => parse(new CommandOptions(given))?.slow)
    expect(slow.map(({ definition }) => definition.name)).toEqual(['start', 'stop', 'dial'])
  })
})

test('options have the type that is asked for, or are absent', () => {
  const given = new CommandOptions(
    options({ text: ' 482913 ', id: '1046021938471923712', flag: false, blank: '   ', number: 5 }),
  )
  expect([given.text('text'), given.id('id'), given.flag('flag')]).toEqual([
    ...['482913', '1046021938471923712', false],
  ])
  for (const name of ['blank', 'number', 'missing', '__proto__']) expect(given.text(name)).toBeUndefined()
  expect([given.id('blank'), given.flag('text')]).toEqual([undefined, undefined])
})

test('the text being typed is recognized in options with choices', () => {
  const focused = (sub: string, name: string, value: unknown) =>
    parseTyping([{ name: sub, options: [{ name, value: value as string, focused: true }] }])
  expect(focused('language', 'language', 'de')).toEqual({ purpose: 'speak', text: 'de' })
  expect(focused('dial', 'language', '')).toEqual({ purpose: 'speak', text: '' })
  expect(focused('output', 'first', 'a')).toEqual({ purpose: 'hear-or-auto', text: 'a' })
  expect(focused('output', 'second', 'a')).toEqual({ purpose: 'hear', text: 'a' })
  expect(focused('dial', 'number', '1')).toBeUndefined()
  expect(focused('language', 'constructor', 'x')).toBeUndefined()
  expect(focused('language', 'language', 5)).toBeUndefined()
  expect(focused('language', 'language', 'x'.repeat(5_000))?.text).toHaveLength(100)
})

test('options with choices are defined so', () => {
  for (const { definition, languages = {} } of SUBCOMMANDS) {
    const choosing = (definition.options ?? []).filter(each => 'autocomplete' in each && each.autocomplete)
    expect(choosing.map(({ name }) => name)).toEqual(Object.keys(languages))
  }
})

describe('any input', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined))
  const names = fc.oneof(
    fc.constantFrom(...SUBCOMMANDS.map(({ definition }) => definition.name)),
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

  test('is parsed, with texts of limited size', () => {
    fc.assert(
      fc.property(fc.array(option, { maxLength: 3 }), data => {
        parseCommand(data)
        expect(parseTyping(data)?.text.length ?? 0).toBeLessThanOrEqual(100)
        const given = new CommandOptions(data)
        for (const { name } of data) {
          expect(given.text(name) ?? 'x').toMatch(/^\S(.{0,98}\S)?/su)
          expect(given.text(name)?.length ?? 0).toBeLessThanOrEqual(100)
          expect(given.id(name) ?? '1').toMatch(/^\d{1,20}$/)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('is either our button or not', () => {
    fc.assert(
      fc.property(fc.string(), id => {
        const press = parseButton(id)
        expect(press !== undefined).toBe(id.startsWith('dragoman:'))
        if (press) parseCommand(press)
      }),
    )
    expect(parseCommand(parseButton('dragoman:sing')!)).toEqual({ name: 'unknown', invocation: undefined })
    const privacy = (name: string) => [{ name: 'privacy', options: [{ name }] }]
    const pressed = (mode?: 'opt-in') =>
      privacyButtons('de', mode).components.flatMap(({ custom_id }) => parseButton(custom_id))
    expect(pressed()).toEqual([...['opt-out', 'opt-in', 'info'].flatMap(privacy), { name: 'pause' }])
    expect(pressed('opt-in')).toEqual([...['opt-in', 'opt-out', 'info'].flatMap(privacy), { name: 'pause' }])
    expect(resumeButton('de').components.flatMap(each => parseButton(each.custom_id))).toEqual([
      { name: 'resume' },
    ])
  })
})
