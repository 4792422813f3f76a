import type { Route } from '../route.ts'
import { CHANNEL_ROUTES } from './channel-routes.ts'
import { COMMAND_ROUTES } from './command-routes.ts'
import { GATEWAY_ROUTES } from './gateway-routes.ts'
import { GUILD_ROUTES } from './guild-routes.ts'
import { INTERACTION_ROUTES } from './interaction-routes.ts'
import { MEMBER_ROUTES } from './member-routes.ts'
import { MESSAGE_ROUTES } from './messages.ts'
import { THREAD_ROUTES } from './thread-routes.ts'
import { USER_ROUTES } from './user-routes.ts'
import { WEBHOOK_MESSAGE_ROUTES } from './webhook-message-routes.ts'
import { WEBHOOK_ROUTES } from './webhook-routes.ts'

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
