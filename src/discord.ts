/**
 * The package entry `dragoman/discord`: `Interpreter` for your own discord.js client, and the Fastify plugin, which has
 * its own client.
 */
import { assertInstalled } from './common/optional-package.ts'

export * from './bridges/discord/index.ts'
export { default } from './bridges/discord/index.ts'

import type { Interpreter as InterpreterClass } from './app/discord-interpreter.ts'

export type {
  AttachOptions,
  ChannelCaption,
  InterpreterEvents,
  InterpreterOptions,
} from './app/discord-interpreter.ts'
export type { JoinOptions } from './bridges/discord/join-channel.ts'

// Discord's library is an optional peer dependency. A static import would fail without a readable message.
assertInstalled('discord')
const app = await import('./app/discord-interpreter.ts')

/** {@inheritDoc InterpreterClass} */
export const Interpreter: typeof InterpreterClass = app.Interpreter
export type Interpreter = InterpreterClass
