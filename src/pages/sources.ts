/** The modules as they are now: TypeScript in a checkout, JavaScript where the project was built. */
export const SOURCE = {
  /** The folder that has `pages/`, `bridges/`, `web/`. */
  folder: new URL('../', import.meta.url),
  /** Ending of modules. */
  ending: import.meta.url.endsWith('.ts') ? '.ts' : '.js',
} as const
