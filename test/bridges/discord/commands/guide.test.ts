import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { KEYS } from '../../../../src/app/settings/keys.ts'
import { USED_PERMISSIONS } from '../../../../src/bridges/discord/commands/permissions.ts'
import { commandDefinition } from '../../../../src/bridges/discord/commands/registry.ts'

const guide = readFileSync(new URL('../../../../docs/channels/discord.md', import.meta.url), 'utf8')

interface Part {
  readonly name: string
  readonly type?: number
  readonly options?: readonly Part[]
}

/** All subcommands, such as `start` and `privacy info`, with their options. */
function commands(part: Part, path: readonly string[] = []): [string, readonly Part[]][] {
  return (part.options ?? []).flatMap(sub => {
    const here = [...path, sub.name]
    return sub.type === 2
      ? commands(sub, here)
      : [[here.join(' '), sub.options ?? []] as [string, readonly Part[]]]
  })
}

describe('docs/channels/discord.md', () => {
  test('names exactly the permissions in use', () => {
    const rows = [...guide.matchAll(/^\| (`[A-Z][A-Za-z`, ]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(rows.sort()).toEqual([...USED_PERMISSIONS].sort())
  })

  test('names every command with its options', () => {
    for (const [path, options] of commands(commandDefinition() as unknown as Part)) {
      const [, shown] = new RegExp(`^\\|.*\`${path}([^\`]*)\`.* \\| .* \\|.* \\|`, 'm').exec(guide) ?? []
      expect(shown, path).toBeDefined()
      const names = [...(shown ?? '').matchAll(/[[<]([\w-]+)[\]>]/g)].map(([, name]) => name)
      expect(names, path).toEqual(options.map(({ name }) => name))
    }
  })

  test('names existing settings only', () => {
    const named = [...guide.matchAll(/`discord\.(?!com)([\w.]+)`/g)].map(([, path]) => `discord.${path}`)
    const block = parse(/```yaml\n(discord:\n {2}# Commands[\s\S]*?)```/.exec(guide)?.[1] ?? '') as {
      discord: object
    }
    const paths = KEYS.map(({ path }) => path)
    for (const path of [...named, ...Object.keys(block.discord).map(key => `discord.${key}`)])
      expect(
        paths.some(each => each === path || each.startsWith(`${path}.`)),
        path,
      ).toBe(true)
  })
})
