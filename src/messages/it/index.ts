import type { Catalog } from '../catalog.ts'
import { CAPTIONS } from './captions.ts'
import { DISCORD } from './discord.ts'
import { ERRORS } from './errors.ts'
import { LISTEN } from './listen.ts'
import { NOTICES } from './notices.ts'
import { TALK } from './talk.ts'

export const ITALIAN: Catalog = {
  discordLocales: ['it'],
  notices: NOTICES,
  discord: DISCORD,
  talk: TALK,
  captions: CAPTIONS,
  listen: LISTEN,
  errors: ERRORS,
}
