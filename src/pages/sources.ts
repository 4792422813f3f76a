/** The current modules: TypeScript in a checkout, JavaScript in a build. */
export const SOURCE = {
  /** The folder with `pages/`, `bridges/` and `web/`. */
  folder: new URL('../', import.meta.url),
  /** File extension of modules. */
  ending: import.meta.url.endsWith('.ts') ? '.ts' : '.js',
} as const
