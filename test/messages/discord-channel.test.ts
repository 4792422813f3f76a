import { describe, expect, it } from 'vitest'
import {
  type KeptText,
  keptIn,
  listeningNotice,
  newcomersNotice,
} from '../../src/bridges/discord/channel/notice-terms.ts'
import { CONSENT_MODES, type ConsentMode } from '../../src/bridges/discord/consent.ts'
import { CATALOGS, UI_LANGUAGES } from '../../src/messages/catalogs.ts'
import type { ChannelTexts } from '../../src/messages/en/discord.ts'
import { DEFAULT_TERMS } from '../support/discord/default-terms.ts'

/** Every text, with recognizable values. */
function texts(words: ChannelTexts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words).map(([name, word]) => [
      name,
      typeof word === 'string' ? word : (word as (...values: string[]) => string)('ANNA', 'SALA'),
    ]),
  )
}

describe.each(UI_LANGUAGES)('the texts of %s', language => {
  const all = texts(CATALOGS[language].discord.channel)

  const words = CATALOGS[language].discord.channel
  const notices = (mode: ConsentMode, keeps: KeptText = 'nothing') => {
    const terms = { ...DEFAULT_TERMS, consent: { mode, roles: ['123'] }, keeps }
    return [listeningNotice(words, 'ANNA', 'SALA', terms), newcomersNotice(words, 'ANNA', 'SALA', terms)]
  }

  it('name the listener and the channel, explain how to opt out, and state what is kept', () => {
    for (const notice of notices('opt-out')) {
      for (const part of ['ANNA', 'SALA', '🔴', '`/interpret privacy opt-out`', words.keptNothing])
        expect(notice).toContain(part)
      expect(notice).not.toContain('opt-in')
    }
    for (const notice of notices('opt-in', 'until-end')) {
      expect(notice).toContain('`/interpret privacy opt-in`')
      expect(notice).toContain('`/interpret transcript`')
      expect(notice).not.toContain(words.keptNothing)
      expect(notice).not.toContain('opt-out')
    }
    for (const notice of notices('role', 'longer')) {
      expect(notice).toContain('<@&123>')
      expect(notice).toContain('`/interpret privacy opt-out`')
      expect(notice).toContain(`${words.notRecorded} ${words.textLonger}`)
    }
    expect(all.ended).toContain('⚪')
    expect(all.headphones).toContain('ANNA')
  })

  it.each([
    ['asked', words.recordedOnRequest],
    ['always', words.recorded],
  ] as const)('state recordings (%s), and never deny them', (recording, statement) => {
    for (const keeps of ['nothing', 'until-end', 'longer'] as const) {
      const terms = { ...DEFAULT_TERMS, keeps, recording }
      const stated = [
        listeningNotice(words, 'ANNA', 'SALA', terms),
        newcomersNotice(words, 'ANNA', 'SALA', terms),
        `${CATALOGS[language].discord.replies.privacy.info} ${keptIn(words, terms)}`,
      ]
      for (const text of stated) {
        expect(text).toContain(statement)
        for (const denial of [words.keptNothing, words.notRecorded]) expect(text).not.toContain(denial)
      }
    }
  })

  it('fit into one message in three languages', () => {
    const composed = CONSENT_MODES.flatMap(mode => notices(mode, 'until-end'))
    for (const text of [...Object.values(all), ...composed]) {
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
