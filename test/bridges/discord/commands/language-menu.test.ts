import { describe, expect, it } from 'vitest'
import { languageMenu, parseMenu } from '../../../../src/bridges/discord/commands/language-menu.ts'

const heard = (...ids: string[]) => ids.map(id => ({ id, heard: true, spoken: true }))

describe('the language menu', () => {
  it('lists the readers’ languages first, then the most common ones, each in its own name', () => {
    const row = languageMenu('de-de', heard('hr-hr', 'en-us', 'de-de', 'es-es', 'zu-za'), ['de-de'])
    expect(row?.components[0]).toMatchObject({
      placeholder: 'Ich spreche …',
      options: [
        { value: 'de-de', label: 'Deutsch (Deutschland)' },
        { value: 'en-us', description: 'Englisch (Vereinigte Staaten)' },
        { value: 'es-es', label: 'español (España)' },
        { value: 'hr-hr' },
        { value: 'zu-za' },
      ],
    })
  })

  it('has at most 25 options: one region of each language before further regions', () => {
    const regions = ['us', 'gb', 'au', 'in', 'ca', 'nz'].map(region => `en-${region}`)
    const others = 'es fr de it ru ja ko hi id tr pl nl vi th cs ro hu el fi bg hr lt'.split(' ')
    const row = languageMenu('en-us', heard(...regions, ...others.map(id => `${id}-${id}`)), ['en-gb'])
    const values = row?.components[0]?.options.map(({ value }) => value) ?? []
    expect(values).toHaveLength(25)
    expect(values[0]).toBe('en-gb')
    expect(values.filter(id => id.startsWith('en-'))).toEqual(['en-gb', 'en-us', 'en-au'])
  })

  it('lists only languages that can be recognized, and is absent without any', () => {
    const [deaf] = heard('es-es')
    expect(languageMenu('en-us', [{ ...deaf!, heard: false }], [])).toBeUndefined()
    expect(languageMenu('en-us', [], ['en-us'])).toBeUndefined()
  })

  it('parses its own choices only', () => {
    expect(parseMenu({ customId: 'dragoman:language', values: ['fr-fr'] })).toEqual([
      {
        name: 'language',
        options: [
          { name: 'language', value: 'fr-fr' },
          { name: 'remember', value: true },
        ],
      },
    ])
    expect(parseMenu({ customId: 'poll', values: ['fr-fr'] })).toBeUndefined()
    expect(parseMenu({ customId: 'dragoman:language', values: [] })).toBeUndefined()
  })
})
