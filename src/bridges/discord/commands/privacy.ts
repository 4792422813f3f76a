import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import { repliesFor } from '../../../messages/discord/discord.ts'
import type { AnswerWords } from '../../../messages/discord/types.ts'
import type { Command, PrivacyWish } from './command.ts'
import type { CommandContext, CommandServices } from './command-context.ts'
import { languageName } from './language-choices.ts'
import type { Answer } from './reply.ts'

const PREFIX = 'dragoman:privacy:'
const WISHES: readonly string[] = ['info', 'opt-out', 'opt-in'] satisfies PrivacyWish[]

/** Returns the buttons for listening notices: opt out, opt in and details. */
export function privacyButtons(locale: string): APIActionRowComponent<APIButtonComponentWithCustomId> {
  const { buttons } = repliesFor(locale)
  const button = (wish: PrivacyWish, label: string) =>
    ({
      type: ComponentType.Button,
      style: ButtonStyle.Secondary,
      custom_id: PREFIX + wish,
      label,
    }) as const
  return {
    type: ComponentType.ActionRow,
    components: [
      button('opt-out', buttons.optOut),
      button('opt-in', buttons.optIn),
      button('info', buttons.privacy),
    ],
  }
}

/** Parses a button press. Returns undefined for other applications' buttons, `unknown` for outdated ones. */
export function parseButton(customId: string): Command | undefined {
  if (!customId.startsWith('dragoman:')) return undefined
  const wish = customId.slice(PREFIX.length)
  return customId.startsWith(PREFIX) && isWish(wish) ? { kind: 'privacy', wish } : { kind: 'unknown' }
}

function isWish(text: string): text is PrivacyWish {
  return WISHES.includes(text)
}

/** Shows and changes the user's own privacy settings, in all guilds. */
export async function privacy(
  wish: PrivacyWish,
  context: CommandContext,
  { interpreters, guildIds, preferences, locales }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const { id, locale } = context.asker
  // The user can be speaking in a guild other than the current one.
  const everywhere = () =>
    Array.from(guildIds(), each => interpreters.of(each)).filter(each => each !== undefined)
  switch (wish) {
    case 'info': {
      const { language, remembered, optedOut } = preferences.about(id)
      const name = language && languageName(language, locale)
      const kept = [
        ...(name === undefined
          ? []
          : [(remembered ? words.privacy.keptLanguage : words.privacy.sessionLanguage)(name)]),
        ...(optedOut ? [words.privacy.youOptedOut] : []),
      ]
      return {
        text: [words.privacy.info, '', ...(kept.length === 0 ? [words.privacy.nothingKept] : kept)].join(
          '\n',
        ),
      }
    }
    case 'opt-out':
      // First, so that nothing can fail before it.
      for (const running of everywhere()) running.optOut(id)
      await preferences.setOptedOut(id, true)
      return { text: words.privacy.optedOut }
    case 'opt-in':
      await preferences.setOptedOut(id, false)
      for (const running of everywhere()) running.optIn(id)
      return { text: words.privacy.optedIn }
    case 'forget': {
      locales.delete(id)
      const forgotten = preferences.forget(id)
      for (const running of everywhere()) running.forget(id)
      await forgotten
      return { text: words.privacy.forgotten }
    }
  }
}
