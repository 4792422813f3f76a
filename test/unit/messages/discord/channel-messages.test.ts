import { describe, expect, it } from 'vitest'
import { CHANNEL_WORDS, channelMessagesFor } from '../../../../src/messages/discord/discord.ts'
import type { ChannelWords } from '../../../../src/messages/discord/types.ts'
import { UI_LANGUAGES } from '../../../../src/messages/locale.ts'

/** Every text, with recognizable values. */
function texts(words: ChannelWords): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words).map(([name, word]) => [
      name,
      typeof word === 'string' ? word : (word as (...values: string[]) => string)('ANNA', 'SALA'),
    ]),
  )
}

describe.each(UI_LANGUAGES)('the texts of %s', language => {
  const all = texts(CHANNEL_WORDS[language])

  it('name the listener and the channel, explain how to opt out, and state that speech is not stored', () => {
    expect(all.listening).toContain('ANNA')
    expect(all.listening).toContain('SALA')
    for (const notice of [all.listening, all.newcomers]) {
      expect(notice).toContain('🔴')
      expect(notice).toContain('`/interpret privacy opt-out`')
    }
    expect(all.newcomers).toContain('ANNA')
    expect(all.ended).toContain('⚪')
    expect(all.headphones).toContain('ANNA')
  })

  it('fit into one message in three languages', () => {
    for (const text of Object.values(all)) {
      expect(text.length).toBeGreaterThan(0)
      expect(text.length).toBeLessThan(640)
      expect(text).not.toMatch(/undefined|@everyone/)
    }
  })

  it('are complete sentences in notices', () => {
    for (const [name, text] of Object.entries(all))
      if (name !== 'thread' && name !== 'telephone') expect(text).toMatch(/[.`]$/)
  })
})

it('texts follow a language or a locale of Discord, with English as the default', () => {
  expect(channelMessagesFor('es-419')).toBe(CHANNEL_WORDS.es)
  expect(channelMessagesFor('pt-BR')).toBe(CHANNEL_WORDS.pt)
  expect(channelMessagesFor('ja')).toBe(CHANNEL_WORDS.en)
})
