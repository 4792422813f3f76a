import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import { answersFor } from '../../../messages/discord/words.ts'
import type { Command, PrivacyWish } from './command.ts'

const PREFIX = 'dragoman:privacy:'
const WISHES: readonly string[] = ['info', 'opt-out', 'opt-in'] satisfies PrivacyWish[]

/** Returns the buttons for listening notices: opt out, opt in and details. */
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

/** Parses a button press. Returns undefined for other applications' buttons, `unknown` for outdated ones. */
export function parseButton(customId: string): Command | undefined {
  if (!customId.startsWith('dragoman:')) return undefined
  const wish = customId.slice(PREFIX.length)
  return customId.startsWith(PREFIX) && isWish(wish) ? { kind: 'privacy', wish } : { kind: 'unknown' }
}

function isWish(text: string): text is PrivacyWish {
  return WISHES.includes(text)
}
