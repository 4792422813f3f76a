import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import { answersFor, WORDS } from '../../../messages/discord/words.ts'
import { tongueOf } from '../../../messages/locale.ts'
import { escaped } from '../captions/markdown.ts'
import type { Answer } from './answer.ts'
import type { Command } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import { languageChoices, languageMeant } from './language-choices.ts'
import { languageName } from './language-names.ts'
import type { OfferedLanguage } from './language-offer.ts'
import { moderates } from './rights.ts'
import type { Scene } from './scene.ts'

/** Maximum wait for the service's languages (ms). */
const PATIENCE_MS = 6_000
const MOST_SUGGESTIONS = 5

/** Returns a language that the service offers, or a reply that explains the problem. */
export async function foundLanguage(
  text: string,
  purpose: 'speak' | 'hear',
  { asker: { locale } }: Scene,
  { languages }: CommandWorld,
  words: AnswerWords,
): Promise<OfferedLanguage | string> {
  const offered = await languages.get(PATIENCE_MS)
  if (!offered) return words.languagesAway
  const meant = languageMeant(text, offered, locale)
  if (meant && (purpose === 'speak' || meant.spoken)) return meant
  const found = { locale, purpose, words: WORDS[tongueOf(locale)].commands }
  const near = [text, text.slice(0, 3), ''].map(each => languageChoices(each, offered, found))
  const names = (near.find(each => each.length > 0) ?? [])
    .slice(0, MOST_SUGGESTIONS)
    .map(({ value }) => `${languageName(value, locale)} (${value})`)
  const problem = meant ? words.noVoice(languageName(meant.id, locale)) : words.unknownLanguage(escaped(text))
  return names.length === 0 ? problem : `${problem} ${words.perhaps(names.join(', '))}`
}

/** Sets the language that a user speaks and reads, from their next utterance on. */
export async function setLanguage(
  command: Extract<Command, { kind: 'language' }>,
  scene: Scene,
  world: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const { asker, guildId } = scene
  const running = world.interpreters.of(guildId)
  const other = command.userId !== undefined && command.userId !== asker.id ? command.userId : undefined
  if (other !== undefined && !moderates(asker)) return { text: words.moderatorsOnly }
  if (other !== undefined && !running) return { text: words.notRunning }
  const found = await foundLanguage(command.language, 'speak', scene, world, words)
  if (typeof found === 'string') return { text: found }
  const name = languageName(found.id, asker.locale)
  const notes = found.heard ? [] : [words.notUnderstood(name)]
  if (other !== undefined && running) {
    running.setLanguage(other, found.id)
    const theirs = languageName(found.id, scene.guildLocale)
    return {
      text: [words.languageOf(scene.nameOf(other), name), ...notes].join('\n'),
      announcement: {
        channelId: running.status().textChannelId,
        text: `${asker.name}: ${answersFor(scene.guildLocale).languageOf(scene.nameOf(other), theirs)}`,
      },
    }
  }
  world.preferences.setLanguage(asker.id, found.id, command.remember)
  running?.setLanguage(asker.id, found.id)
  notes.push(command.remember ? words.remembered : words.keptUntilRestart)
  if (world.preferences.optedOut(asker.id)) notes.push(words.stillOptedOut)
  return { text: [words.languageIs(name), ...notes].join('\n') }
}
