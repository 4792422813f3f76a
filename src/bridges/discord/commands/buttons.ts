import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import { answersFor } from '../words/words.ts'
import type { Command, PrivacyWish } from './command.ts'

const PREFIX = 'dragoman:privacy:'
const WISHES: readonly string[] = ['info', 'opt-out', 'opt-in'] satisfies PrivacyWish[]

/** What belongs below a notice that people are being listened to: saying no, and what it is about, at one press. */
export function privacyButtons(locale: string): APIActionRowComponent<APIButtonComponentWithCustomId> {
  const { buttons } = answersFor(locale)
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

/** What a press asks for; undefined for a button that is not ours, `unknown` for one that is no more. */
export function parseButton(customId: string): Command | undefined {
  if (!customId.startsWith('dragoman:')) return undefined
  const wish = customId.slice(PREFIX.length)
  return customId.startsWith(PREFIX) && isWish(wish) ? { kind: 'privacy', wish } : { kind: 'unknown' }
}

function isWish(text: string): text is PrivacyWish {
  return WISHES.includes(text)
}
