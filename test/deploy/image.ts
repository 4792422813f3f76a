import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const PROJECT = new URL('../../', import.meta.url).pathname

/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

/** One stage, with its base. */
export interface Stage {
  readonly name: string
  readonly from: string
  readonly instructions: Instruction[]
}

/** The stages of the Dockerfile, with continued lines joined and comments removed. */
export async function stages(): Promise<Stage[]> {
  const text = await readFile(join(PROJECT, 'deploy/docker/Dockerfile'), 'utf8')
  const lines = text
    .split('\n')
    .filter(line => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '')
  const found: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    const [, from, as] = name === 'FROM' ? (/^(\S+) AS (\S+)$/.exec(rest) ?? []) : []
    if (from !== undefined && as !== undefined) found.push({ name: as, from, instructions: [] })
    else found.at(-1)?.instructions.push({ name, text: rest })
  }
  return found
}

/** Sources of a `COPY`: from the context unless a stage is named. */
export function copyOf({ text }: Instruction): { from: string | undefined; sources: string[]; to: string } {
  const words = text.split(/\s+/)
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const to = words.pop() ?? ''
  return { from, sources: words, to }
}

/** Whether `.dockerignore` includes a path of the project in the context: the last matching line decides. */
export async function isInContext(path: string): Promise<boolean> {
  const lines = (await readFile(join(PROJECT, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  let inside = true
  for (const line of lines) {
    const [pattern, lets] = line.startsWith('!') ? [line.slice(1), true] : [line, false]
    if (fits(path, pattern)) inside = lets
  }
  return inside
}

/** A pattern matches a path, and everything below it. */
function fits(path: string, pattern: string): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/]*')
  return new RegExp(`^${source}(/|$)`).test(path)
}
