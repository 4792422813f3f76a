import { serviceSettings } from '../../../../src/service/server/settings.ts'

/** The engines' settings as a service has them by default. */
export const { engines: ENGINES } = serviceSettings({ apiKeys: ['unused'] })
