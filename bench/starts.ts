import { resolve } from 'node:path'

/**
 * The documented ways to start the bridge: what `npm start` runs, plain Node with the sources, the installed command
 * (`dist`), and the entry point of the container image.
 */
export const STARTS = ['npm', 'source', 'installed', 'image'] as const
export type Start = (typeof STARTS)[number]

/** Path of the project in an image. */
const IMAGE_FOLDER = '/app/'

/** Files that say how the bridge is started. */
export interface StartFiles {
  /** Folder of the project. */
  readonly root: string
  /** Text of package.json and of the Dockerfile. */
  readonly packageJson: string
  readonly dockerfile: string
}

/** The command line of `start`, with absolute paths. Throws if the files do not contain it. */
export function startCommand(start: Start, { root, packageJson, dockerfile }: StartFiles): string[] {
  const { scripts = {}, bin = {} } = JSON.parse(packageJson) as {
    scripts?: Record<string, string>
    bin?: Record<string, string>
  }
  switch (start) {
    case 'npm':
      return absolute(words(scripts.start ?? missing('scripts.start in package.json')), root)
    case 'source':
      return ['node', resolve(root, 'src/main.ts'), 'serve']
    case 'installed':
      return [resolve(root, bin.dragoman ?? missing('bin.dragoman in package.json')), 'serve']
    case 'image':
      return [...entryPoint(dockerfile, root), 'serve']
  }
}

function entryPoint(dockerfile: string, root: string): string[] {
  const list = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? missing('ENTRYPOINT in the Dockerfile')
  return (JSON.parse(list) as string[]).map(word =>
    word.startsWith(IMAGE_FOLDER) ? resolve(root, word.slice(IMAGE_FOLDER.length)) : word,
  )
}

function absolute(command: readonly string[], root: string): string[] {
  return command.map(word => (/\.[mc]?[jt]s$/.test(word) ? resolve(root, word) : word))
}

function words(text: string): string[] {
  return text.split(' ').filter(word => word !== '')
}

function missing(what: string): never {
  throw new Error(`there is no ${what}`)
}
