import { serviceSettings } from '../../../src/service/server/settings.ts'

/** The default settings of the engines. */
export const { engines: ENGINES } = serviceSettings({ apiKeys: ['unused'] })
