import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { KEYS } from '../../src/app/settings/keys.ts'
import { program } from '../../src/cli/program.ts'
import { PROJECT } from './pages.ts'

const { scripts } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8')) as {
  scripts: Record<string, string>
}

/** External programs in the pages; the reason why they are not run here. */
const NOT_RUN: Readonly<Record<string, string>> = {
  git: 'clones from a server',
  cd: 'belongs to git clone',
  sudo: 'needs root',
  'apt-get': 'needs root',
  systemctl: 'needs systemd',
  journalctl: 'needs systemd',
  docker: 'there is no docker here',
  kubectl: 'needs a cluster',
  nginx: 'needs root; the configuration is checked in test/deploy',
  caddy: 'is not installed here',
  cloudflared: 'needs the internet',
  certbot: 'needs a public name',
  openssl: 'makes a random key',
  promtool: 'its files are checked in test/deploy',
  sh: 'makes secrets: test/deploy/compose.slow.test.ts',
  install: 'needs root',
  kill: 'needs a server that runs',
  curl: 'run in test/docs/curl.slow.test.ts, test/web/control/control-doc.slow.test.ts and test/service/server/contract-commands.slow.test.ts',
}

/** Faults of the commands in a block of `sh`; empty if all are valid. */
export async function commandFaults(code: string): Promise<string[]> {
  const faults: string[] = []
  for (const line of linesOf(code))
    for (const words of partsOf(line)) {
      const fault = await faultOf(words)
      if (fault !== undefined) faults.push(`${words.join(' ')}: ${fault}`)
    }
  return faults
}

function linesOf(code: string): string[] {
  return code
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
}

/** The commands of this project in a block, as typed where the package is installed. */
export function ownCommands(code: string): string[] {
  return linesOf(code)
    .flatMap(partsOf)
    .map(words => words.filter(word => !/^[A-Z_]+=/.test(word)).join(' '))
    .map(line => line.replace(/^npm run (--silent )?dragoman -- /, 'dragoman '))
    .filter(line => /^(npm|dragoman|node) /.test(line))
}

/** A line's commands as words: the parts between `&&`, `|` and `;`, without quotes and comments. */
function partsOf(line: string): string[][] {
  const parts: string[][] = [[]]
  for (const [word, first, second] of line.matchAll(
    /'([^']*)'|"([^"]*)"|#.*$|&&|\|\||[|;&]|<[^>]*>|[^\s'"|;&#]+(?:'[^']*'|"[^"]*"|[^\s'"|;&])*/g,
  )) {
    if (word.startsWith('#')) break
    if (/^(&&|\|\||[|;&])$/.test(word)) parts.push([])
    else parts.at(-1)!.push(first ?? second ?? word.replace(/["']/g, ''))
  }
  return parts.filter(words => words.length > 0)
}

async function faultOf(given: readonly string[]): Promise<string | undefined> {
  const words = [...given]
  while (words[0] !== undefined && /^[A-Z_]+=/.test(words[0])) {
    const fault = variableFault(words.shift()!)
    if (fault !== undefined) return fault
  }
  const [name = '', ...rest] = words
  if (name === '') return undefined
  if (name === 'export') return rest.map(variableFault).find(fault => fault !== undefined)
  if (name === 'npm') return npmFault(rest)
  if (name === 'npx')
    return existsSync(`${PROJECT}node_modules/.bin/${rest[0]}`) ? undefined : 'is not installed'
  if (name === 'dragoman') return dragomanFault(rest)
  // The clone's own Node, which runs TypeScript, is not the one of the shell.
  if (name === 'node')
    return rest.some(word => word.endsWith('.ts')) ? 'npm run example runs it' : fileFault(rest)
  if (name in NOT_RUN) return undefined
  return 'no rule says how this is checked: test/docs/commands.ts'
}

function variableFault(assignment: string): string | undefined {
  const name = assignment.split('=')[0] ?? ''
  if (!name.startsWith('DRAGOMAN_') || name === 'DRAGOMAN_CONFIG') return undefined
  const known = KEYS.some(
    ({ variable, secret }) => variable === name || (secret && `${variable}_FILE` === name),
  )
  return known ? undefined : 'is no setting'
}

async function npmFault(given: readonly string[]): Promise<string | undefined> {
  const split = given.indexOf('--')
  const own = (split < 0 ? given : given.slice(0, split)).filter(word => !word.startsWith('-'))
  const passed = split < 0 ? [] : given.slice(split + 1)
  const [command = '', script = ''] = own
  if (['ci', 'install', 'pack', 'audit'].includes(command)) return undefined
  const name = command === 'run' ? script : command
  const does = scripts[name]
  if (does === undefined) return `there is no npm script ${name}`
  const [, before] = /src\/main\.ts ?(.*)$/.exec(does) ?? []
  if (before !== undefined) return dragomanFault([...before.split(' ').filter(Boolean), ...passed])
  return name === 'example' ? fileFault(own.slice(2)) : undefined
}

function fileFault(words: readonly string[]): string | undefined {
  const file = words.find(word => !word.startsWith('-')) ?? ''
  return existsSync(PROJECT + file) ? undefined : `there is no ${file}`
}

/** The real program's reaction to these words, without its action. */
async function dragomanFault(words: readonly string[]): Promise<string | undefined> {
  let said = ''
  let ran = false
  const hear = (text: string) => {
    said += text
  }
  const act = () => {
    ran = true
  }
  const each = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: hear, writeOut: () => {} })
    if (command.commands.length === 0) command.action(act)
    for (const child of command.commands) each(child)
  }
  each(program)
  try {
    await program.parseAsync(words.map(filled), { from: 'user' })
    return ran ? undefined : 'does nothing'
  } catch (error) {
    const { code } = error as { code?: string }
    return code === 'commander.helpDisplayed' || code === 'commander.version'
      ? undefined
      : said || String(error)
  }
}

/** Replaces placeholders. */
function filled(word: string): string {
  return word.replace(/^…$|^<.*>$/, 'something')
}
