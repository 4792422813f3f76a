import type { Route } from '../route.ts'
import { CHANNEL_ROUTES, THREAD_ROUTES } from './channels.ts'
import { COMMAND_ROUTES, INTERACTION_ROUTES } from './commands.ts'
import { GUILD_ROUTES, MEMBER_ROUTES } from './guilds.ts'
import { MESSAGE_ROUTES } from './messages.ts'
import { GATEWAY_ROUTES, USER_ROUTES } from './users.ts'
import { WEBHOOK_MESSAGE_ROUTES, WEBHOOK_ROUTES } from './webhooks.ts'

/** All routes; the first match is used. */
export const ROUTES: readonly Route[] = [
  ...GATEWAY_ROUTES,
  ...USER_ROUTES,
  ...COMMAND_ROUTES,
  ...INTERACTION_ROUTES,
  ...WEBHOOK_MESSAGE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...GUILD_ROUTES,
  ...MEMBER_ROUTES,
  ...MESSAGE_ROUTES,
  ...THREAD_ROUTES,
  ...CHANNEL_ROUTES,
]
