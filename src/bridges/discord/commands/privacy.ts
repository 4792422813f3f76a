import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import { channelMessagesFor, repliesFor } from '../../../messages/discord/discord.ts'
import type { AnswerWords } from '../../../messages/discord/types.ts'
import { keptIn } from '../channel/notice-terms.ts'
import type { ChannelInterpreter } from '../channel-interpreter.ts'
import type { ConsentMode } from '../consent.ts'
import type { Command, PrivacyWish } from './command.ts'
import type { CommandContext, CommandServices } from './command-context.ts'
import { languageName } from './language-choices.ts'
import type { Answer } from './reply.ts'

const PREFIX = 'dragoman:privacy:'
const PAUSE = 'dragoman:pause'
const RESUME = 'dragoman:resume'
const WISHES: readonly string[] = ['info', 'opt-out', 'opt-in'] satisfies PrivacyWish[]

type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>

/** Returns the buttons for listening notices: opt out, opt in and details. With consent by opt-in, that button is first. */
export function privacyButtons(locale: string, mode: ConsentMode = 'opt-out'): ButtonRow {
  const { buttons } = repliesFor(locale)
  const out = button(`${PREFIX}opt-out`, buttons.optOut)
  const first =
    mode === 'opt-in'
      ? [button(`${PREFIX}opt-in`, buttons.agree, ButtonStyle.Success), out]
      : [out, button(`${PREFIX}opt-in`, buttons.optIn)]
  return {
    type: ComponentType.ActionRow,
    components: [...first, button(`${PREFIX}info`, buttons.privacy), button(PAUSE, buttons.pause)],
  }
}

/** Returns the button of the notice that interpreting is paused. */
export function resumeButton(locale: string): ButtonRow {
  const { buttons } = repliesFor(locale)
  return {
    type: ComponentType.ActionRow,
    components: [button(RESUME, buttons.resume, ButtonStyle.Success)],
  }
}

function button(
  customId: string,
  label: string,
  style: ButtonStyle.Secondary | ButtonStyle.Success = ButtonStyle.Secondary,
) {
  return { type: ComponentType.Button, style, custom_id: customId, label } as const
}

/** Parses a button press. Returns undefined for other applications' buttons, `unknown` for outdated ones. */
export function parseButton(customId: string): Command | undefined {
  if (!customId.startsWith('dragoman:')) return undefined
  if (customId === PAUSE) return { kind: 'pause' }
  if (customId === RESUME) return { kind: 'resume' }
  const wish = customId.slice(PREFIX.length)
  return customId.startsWith(PREFIX) && isWish(wish) ? { kind: 'privacy', wish } : { kind: 'unknown' }
}

function isWish(text: string): text is PrivacyWish {
  return WISHES.includes(text)
}

/** Consent counts where it was given; an opt-out that ends, everywhere. */
function optIn(
  { asker, guildId }: CommandContext,
  {
    interpreters,
    terms: { consent },
    everywhere,
  }: Pick<CommandServices, 'interpreters' | 'terms'> & { readonly everywhere: readonly ChannelInterpreter[] },
  { privacy: say }: AnswerWords,
): Answer {
  const here = interpreters.of(guildId)
  if (consent.mode === 'opt-in') {
    here?.optIn(asker.id)
    return { text: here ? say.optedIn : say.optedInLater }
  }
  for (const running of everywhere) running.optIn(asker.id)
  const lacksRole = consent.mode === 'role' && !asker.roleIds.some(role => consent.roles.includes(role))
  return { text: lacksRole ? say.noRole : say.optedIn }
}

/** Shows and changes the user's own privacy settings, in all guilds. */
export async function privacy(
  wish: PrivacyWish,
  context: CommandContext,
  { interpreters, guildIds, preferences, locales, terms }: CommandServices,
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
        text: [
          words.privacy.info,
          keptIn(channelMessagesFor(locale), terms),
          '',
          ...(kept.length === 0 ? [words.privacy.nothingKept] : kept),
        ].join('\n'),
      }
    }
    case 'opt-out':
      // First, so that nothing can fail before it.
      for (const running of everywhere()) running.optOut(id)
      await preferences.setOptedOut(id, true)
      return { text: words.privacy.optedOut }
    case 'opt-in':
      await preferences.setOptedOut(id, false)
      return optIn(context, { interpreters, terms, everywhere: everywhere() }, words)
    case 'forget': {
      locales.delete(id)
      const forgotten = preferences.forget(id)
      for (const running of everywhere()) running.forget(id)
      await forgotten
      return { text: words.privacy.forgotten }
    }
  }
}
