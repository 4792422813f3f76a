import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import { catalogFor } from '../../../messages/catalogs.ts'
import type { ConsentMode } from '../consent.ts'
import type { RawOption } from './command-options.ts'

/** Custom IDs start with this; the subcommand follows, and after a colon the one in its group. */
const PREFIX = 'dragoman:'

type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>

/** Returns the buttons for listening notices: opt out, opt in and details. With consent by opt-in, that button is first. */
export function privacyButtons(locale: string, mode: ConsentMode = 'opt-out'): ButtonRow {
  const { buttons } = catalogFor(locale).discord.replies
  const out = button('privacy:opt-out', buttons.optOut)
  const first =
    mode === 'opt-in'
      ? [button('privacy:opt-in', buttons.agree, ButtonStyle.Success), out]
      : [out, button('privacy:opt-in', buttons.optIn)]
  return {
    type: ComponentType.ActionRow,
    components: [...first, button('privacy:info', buttons.privacy), button('pause', buttons.pause)],
  }
}

/** Returns the button of the notice that interpreting is paused. */
export function resumeButton(locale: string): ButtonRow {
  const { buttons } = catalogFor(locale).discord.replies
  return {
    type: ComponentType.ActionRow,
    components: [button('resume', buttons.resume, ButtonStyle.Success)],
  }
}

function button(
  path: string,
  label: string,
  style: ButtonStyle.Secondary | ButtonStyle.Success = ButtonStyle.Secondary,
) {
  return { type: ComponentType.Button, style, custom_id: `${PREFIX}${path}`, label } as const
}

/** Returns a button press as the data of the command that does the same; undefined for other applications' buttons. */
export function parseButton(customId: string): readonly RawOption[] | undefined {
  if (!customId.startsWith(PREFIX)) return undefined
  const [name = '', nested] = customId.slice(PREFIX.length).split(':')
  return [{ name, options: nested === undefined ? undefined : [{ name: nested }] }]
}
