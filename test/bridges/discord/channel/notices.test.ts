import { describe, expect, it } from 'vitest'
import type { Written } from '../../../../src/bridges/discord/captions/caption-format.ts'
import { ChannelNotices, type NoticeChat } from '../../../../src/bridges/discord/channel/notices.ts'
import { privacyButtons } from '../../../../src/bridges/discord/commands/notice-buttons.ts'
import { catalogFor } from '../../../../src/messages/catalogs.ts'
import type { ChannelTexts } from '../../../../src/messages/en/discord.ts'

class Chat implements NoticeChat {
  readonly messages = new Map<string, { text: string; buttons: boolean }>()
  refuses = false
  #count = 0

  get texts(): string[] {
    return Array.from(this.messages.values(), ({ text, buttons }) => `${buttons ? '[]' : ''}${text}`)
  }

  async post(text: string, buttons?: unknown): Promise<Written> {
    if (this.refuses) return { kind: 'no-access', code: 50_013 }
    const id = String(++this.#count)
    this.messages.set(id, { text, buttons: buttons !== undefined })
    return { kind: 'written', id }
  }

  async repost(id: string, text: string, buttons?: unknown): Promise<Written> {
    this.messages.set(id, { text, buttons: buttons !== undefined })
    return { kind: 'written', id }
  }

  async remove(id: string): Promise<Written> {
    this.messages.delete(id)
    return { kind: 'written', id }
  }
}

function started() {
  const chat = new Chat()
  return {
    chat,
    notices: new ChannelNotices({ chat, components: ([language = 'en-us']) => [privacyButtons(language)] }),
  }
}

describe('notices', () => {
  it('announce the listening in each language, and are updated everywhere at the end', async () => {
    const { chat, notices } = started()
    const other = new Chat()
    await notices.listening(words => words.empty, ['en-us', 'es-es', 'en-gb'])
    notices.moveTo(other)
    await notices.listening(words => words.empty, ['fr-fr'])
    expect(chat.texts).toEqual(['[]Everyone left, so I stopped.\n\nSe han ido todos, así que he parado.'])
    await notices.ended(words => words.ended('X'))
    // Readers see the update in their own languages.
    expect(chat.texts).toEqual([
      '⚪ Interpreting in X has ended. I am no longer listening.\n\n' +
        '⚪ La interpretación en X ha terminado. Ya no escucho.',
    ])
    expect(other.texts).toEqual(['⚪ L’interprétation dans X est terminée. Je n’écoute plus.'])
  })

  it('use as many messages as the languages need, each with buttons', async () => {
    const { chat, notices } = started()
    const languages = ['en-us', 'es-es', 'fr-fr', 'de-de', 'it-it', 'pt-br', 'ja-jp']
    const notice = (words: ChannelTexts) => `${words.listening('Ana', '<#1>')}${' '.repeat(300)}.`
    expect(await notices.listening(notice, languages)).toBe(true)
    expect(chat.texts.length).toBeGreaterThan(1)
    for (const text of chat.texts) expect(text).toMatch(/^\[\]🔴/)
    for (const text of chat.messages.values()) expect(text.text.length).toBeLessThanOrEqual(2_000)
    const all = chat.texts.join()
    for (const each of languages) expect(all).toContain(notice(catalogFor(each).discord.channel))
    await notices.ended(words => words.ended('X'))
    expect(chat.texts.join('\n\n').split('⚪').length).toBe(7)
  })

  it('to newcomers use one message for all of them', async () => {
    const { chat, notices } = started()
    await notices.listening(words => words.empty, ['en-us'])
    for (let n = 0; n < 5; n++)
      await notices.newcomers(words => `${words.newcomers(`user ${n}`, 'X').slice(0, 9)}`, ['en-us'])
    expect(chat.texts).toEqual(['[]Everyone left, so I stopped.', '[]🔴 user 4'])
    await notices.ended(words => words.kicked)
    expect(new Set(chat.texts)).toEqual(new Set(['I was disconnected, so I stopped.']))
  })

  it('tolerate a chat without write access', async () => {
    const { chat, notices } = started()
    chat.refuses = true
    await notices.listening(words => words.empty, ['en-us'])
    await notices.newcomers(words => words.empty, ['en-us'])
    expect(await notices.tell(words => words.empty)).toBeUndefined()
    await notices.ended(words => words.empty)
    expect(chat.texts).toEqual([])
  })
})
