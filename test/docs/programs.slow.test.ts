import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PACK_MS, packed } from '../support/e2e/packed.ts'
import { PROJECT, type Snippet, snippets, title } from './pages.ts'
import { PROGRAMS, type Program } from './programs.ts'

const run = promisify(execFile)
/** Time for one program on a busy machine. */
const PATIENCE_MS = 180_000

// Blocks generated from types contain no statements.
const blocks = snippets('ts', 'js').filter(({ page }) => !page.startsWith('docs/reference/'))

/** The rules that match a block: exactly one. */
function rulesOf({ page, code }: Snippet): Program[] {
  return PROGRAMS.filter(program => program.page === page && code.includes(program.mark))
}

const written = blocks.flatMap((block, index) => {
  const [program] = rulesOf(block)
  return program && block.language === 'ts' ? [{ block, program, file: `block-${index}.ts` }] : []
})
const plain = blocks.flatMap((block, index) => {
  const [program] = rulesOf(block)
  return program && block.language === 'js' ? [{ block, program, file: `block-${index}.ts` }] : []
})
const toRun = [...written, ...plain].filter(({ program }) => program.runs === undefined)

let base: string
let folder: string

/** As for a reader who installed the package: the blocks import it by its name. */
beforeAll(async () => {
  const { unpacked } = await packed()
  base = await mkdtemp(join(tmpdir(), 'dragoman-blocks-'))
  folder = join(base, 'blocks')
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await symlink(unpacked, join(folder, 'node_modules/dragoman'))
  await symlink(join(PROJECT, 'node_modules'), join(base, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const { block, program, file } of [...written, ...plain])
    await writeFile(join(folder, file), composed(block.code, program))
}, PACK_MS)

afterAll(() => rm(base, { recursive: true, force: true }))

/** The block as a complete program. */
function composed(code: string, { before = '', replace = [], after = '', runs }: Program): string {
  let text = code
  for (const [from, to] of replace) {
    if (!text.includes(from)) throw new Error(`the block no longer has ${from}: test/docs/programs.ts`)
    text = text.replace(from, to)
  }
  const end = runs === undefined ? "\nconsole.log('through')\nprocess.exit()\n" : ''
  return `${before}\n${text}\n${after}${end}\nexport {}\n`
}

it('every block has one rule, and every rule a block', () => {
  expect(blocks.length).toBeGreaterThan(20)
  expect(blocks.filter(block => rulesOf(block).length !== 1).map(title)).toEqual([])
  expect(PROGRAMS.filter(program => !blocks.some(block => rulesOf(block).includes(program)))).toEqual([])
})

it('references to other tests are valid', async () => {
  for (const { runs, page } of PROGRAMS)
    if (runs) expect(await readFile(join(PROJECT, runs), 'utf8')).toContain(basename(page, '.md'))
})

it.concurrent(
  'all blocks of TypeScript have correct types',
  async () => {
    const compilerOptions = {
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(PROJECT, 'node_modules/@types')],
    }
    const files = written.map(({ file }) => file)
    const settings = { extends: join(PROJECT, 'tsconfig.json'), compilerOptions, include: [], files }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const tsc = join(PROJECT, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['--project', folder, '--checkers', '1']).catch(error => error)
    // Faults in the sources are reported by their own check.
    const own = String(stdout)
      .split('\n')
      .filter(line => /block-\d+\.ts/.test(line) && !line.startsWith(' '))
    expect(own.map(line => named(line))).toEqual([])
  },
  PATIENCE_MS,
)

/** A compiler error with the page instead of the file. */
function named(line: string): string {
  const [, file = ''] = /(block-\d+\.ts)/.exec(line) ?? []
  const found = written.find(each => each.file === file)
  return found ? `${title(found.block)}: ${line}` : line
}

describe.concurrent('runs unchanged', () => {
  it.each(toRun.map(each => [title(each.block), each] as const))(
    '%s',
    async (_title, { program, file }) => {
      const cwd = join(folder, file.replace('.ts', ''))
      await mkdir(cwd, { recursive: true })
      await copyFile(join(PROJECT, 'recordings/sense-and-sensibility-2.wav'), join(cwd, 'speech.wav'))
      const options = { cwd, timeout: PATIENCE_MS }
      const { stdout, stderr } = await run(process.execPath, [join(folder, file)], options).catch(
        error => error,
      )
      expect(stdout, stderr).toMatch(/^through$/m)
      if (program.prints) expect(stdout).toMatch(program.prints)
    },
    PATIENCE_MS,
  )
})
