import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { expect, it } from 'vitest'
import { type Page, PROJECT, pages } from './pages.ts'

const all = pages()

/** Visible text with links: no code. */
function withoutCode(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '')
}

/** The anchors of a page, derived from its headings like GitHub does. */
function anchors(text: string): Set<string> {
  const seen = new Map<string, number>()
  const found = new Set<string>()
  for (const [, heading = ''] of text
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`]/g, '')
    const anchor = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    found.add(times === 0 ? anchor : `${anchor}-${times}`)
  }
  return found
}

function faults({ path, text }: Page): string[] {
  const links = withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)
  return Array.from(links, ([, link = '']) => link)
    .filter(link => !/^(https?:|mailto:)/.test(link))
    .flatMap(link => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? join(PROJECT, path) : join(PROJECT, dirname(path), decodeURI(file))
      if (relative(PROJECT, target).startsWith('..')) return `${path}: ${link} points outside the project`
      if (!existsSync(target)) return `${path}: ${link} has no target`
      if (anchor === undefined || !target.endsWith('.md') || statSync(target).isDirectory()) return []
      return anchors(readFileSync(target, 'utf8')).has(anchor) ? [] : `${path}: ${link}: no such heading`
    })
}

it('every link points to an existing file, and to a heading in it', () => {
  expect(all.length).toBeGreaterThan(30)
  expect(all.flatMap(faults)).toEqual([])
})

/** Paths of sources that a page names as code: `{a,b}` is each of them, `<name>` any. */
function namedSources(text: string): string[] {
  const named = text.matchAll(/`([\w.*{},<>-]+\/[\w.*{},<>/-]+\.(?:ts|mjs))`/g)
  const each = (path: string): string[] => {
    const [group, choices] = /\{([^}]*)\}/.exec(path) ?? []
    return group ? choices!.split(',').flatMap(choice => each(path.replace(group, choice))) : [path]
  }
  return Array.from(named, ([, path = '']) => each(path.replace(/<\w+>/g, '*'))).flat()
}

it('every source that a page names exists', () => {
  const sources = ['src', 'test', 'simulator', 'scripts', 'bench', 'examples'].flatMap(folder =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map(
      path => `${folder}/${path}`,
    ),
  )
  const named = all
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) => namedSources(text).map(name => ({ path, name })))
  expect(named.length).toBeGreaterThan(100)
  const missing = named.filter(
    ({ name }) => !sources.some(source => matchesGlob(`/${source}`, `/**/${name}`)),
  )
  expect(missing).toEqual([])
})

it('pages that give commands of a clone give those of the package too', () => {
  const guides = all.filter(({ path }) => /^docs\/(guides|channels)\//.test(path))
  const silent = guides.filter(
    ({ text }) => /npm run (dragoman|demo)|npm start/.test(text) && !text.includes('npx dragoman'),
  )
  expect(silent.map(({ path }) => path)).toEqual([])
})

it('every page is reachable from README.md', () => {
  const reached = new Set<string>()
  const visit = (path: string) => {
    const page = all.find(each => each.path === path)
    if (!page || reached.has(path)) return
    reached.add(path)
    for (const [, link = ''] of page.text.matchAll(/\]\(([^)#\s]+)/g)) visit(join(dirname(path), link))
  }
  visit('README.md')
  // The package contains no tests, so its pages name them without a link.
  const shipped = all.map(({ path }) => path).filter(path => !path.startsWith('test/'))
  expect(shipped.filter(path => !reached.has(path))).toEqual([])
})
