import type { FuzzTarget } from '../target.ts'
import { BROWSER } from './browser.ts'
import { DISCORD } from './discord.ts'
import { SERVICE } from './service.ts'
import { SETTINGS } from './settings.ts'
import { SOUND } from './sound.ts'
import { TELEPHONE } from './telephone.ts'

export const TARGETS: readonly FuzzTarget[] = [
  ...TELEPHONE,
  ...SERVICE,
  ...SOUND,
  ...DISCORD,
  ...SETTINGS,
  ...BROWSER,
]
