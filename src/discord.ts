/**
 * The package entry `dragoman/discord`. Discord's libraries are optional peers, which a static import would require before
 * anything can report that they are missing; and `require('dragoman/discord')` allows no `await` here. The types of the
 * entry are those of `app/discord-interpreter.ts`.
 */
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { assertInstalled } from './common/optional-package.ts'

assertInstalled('discord')
const load = createRequire(import.meta.url)
const library = load(
  `./app/discord-interpreter${extname(import.meta.url)}`,
) as typeof import('./app/discord-interpreter.ts')

export const { allPermissions, INTENTS, Interpreter, inviteUrl } = library
export default library.default
