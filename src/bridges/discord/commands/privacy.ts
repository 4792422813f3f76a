import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import type { Answer } from './answer.ts'
import type { PrivacyWish } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import { languageName } from './language-names.ts'
import type { Scene } from './scene.ts'

/** Shows and changes the user's own privacy settings, in all guilds. */
export async function privacy(
  wish: PrivacyWish,
  scene: Scene,
  { interpreters, guildIds, preferences, locales }: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const { id, locale } = scene.asker
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
      preferences.setOptedOut(id, true)
      return { text: words.privacy.optedOut }
    case 'opt-in':
      preferences.setOptedOut(id, false)
      for (const running of everywhere()) running.optIn(id)
      return { text: words.privacy.optedIn }
    case 'forget': {
      locales.forget(id)
      const forgotten = preferences.forget(id)
      for (const running of everywhere()) running.forget(id)
      await forgotten
      return { text: words.privacy.forgotten }
    }
  }
}
