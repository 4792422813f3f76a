import { ApplicationCommandOptionType } from 'discord.js'
import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { keptIn } from '../../channel/notice-terms.ts'
import type { ChannelInterpreter } from '../../contract.ts'
import type { CommandContext, CommandServices } from '../command-context.ts'
import { languageName } from '../language-choices.ts'
import type { Answer } from '../reply.ts'
import { type Subcommand, subcommand, worded } from '../subcommand.ts'

const ACTIONS = ['info', 'opt-out', 'opt-in', 'forget'] as const
type PrivacyAction = (typeof ACTIONS)[number]

/** `/interpret privacy …`. Opting out is never rate limited. */
export const privacy: Subcommand = {
  definition: {
    type: ApplicationCommandOptionType.SubcommandGroup,
    ...worded('privacy', words => words.privacy),
    options: [
      subcommand('info', words => words.info),
      subcommand('opt-out', words => words.optOut),
      subcommand('opt-in', words => words.optIn),
      subcommand('forget', words => words.forget),
    ],
  },
  parse(options) {
    const action = ACTIONS.find(each => each === options.subcommand)
    if (action === undefined) return undefined
    return {
      unlimited: action === 'opt-out',
      run: (context, services, words) => perform(action, context, services, words),
    }
  },
}

/** Consent counts where it was given; an opt-out that ends, everywhere. */
function optIn(
  { asker, guildId }: CommandContext,
  {
    interpreters,
    terms: { consent },
    everywhere,
  }: Pick<CommandServices, 'interpreters' | 'terms'> & { readonly everywhere: readonly ChannelInterpreter[] },
  { privacy: say }: ReplyTexts,
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
async function perform(
  action: PrivacyAction,
  context: CommandContext,
  { interpreters, guildIds, preferences, locales, terms }: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const { id, locale } = context.asker
  // The user can be speaking in a guild other than the current one.
  const everywhere = () =>
    Array.from(guildIds(), each => interpreters.of(each)).filter(each => each !== undefined)
  switch (action) {
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
          keptIn(catalogFor(locale).discord.channel, terms),
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
