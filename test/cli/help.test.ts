import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'

interface Entry {
  readonly path: string
  readonly command: Command
}

function all(command: Command, path = ''): Entry[] {
  const below = command.commands.flatMap(each => all(each, `${path} ${each.name()}`.trim()))
  return [{ path, command }, ...below]
}

const entries = all(program)

/** The help of a command as printed, including the text appended to it. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: chunk => (text += chunk) })
  command.outputHelp()
  return text
}

/** Splits a line into words like a shell; the examples have no quotes. */
function examplesOf(command: Command): string[][] {
  return [...helpOf(command).matchAll(/^ {2}\$ dragoman ?(.*)$/gm)].map(([, line = '']) =>
    line.split(' ').filter(Boolean),
  )
}

describe('the help of', () => {
  test.each(entries.map(({ path, command }) => [path || 'the program', command] as const))(
    '%s has examples, which parse',
    async (path, command) => {
      const examples = examplesOf(command)
      expect(examples.length).toBeGreaterThan(0)
      // The action is not run: only parsing is tested.
      const called: string[] = []
      for (const entry of entries) {
        entry.command.exitOverride().configureOutput({ writeErr: () => {} })
        if (entry.command.commands.length === 0) entry.command.action(() => void called.push(entry.path))
      }
      for (const words of examples) await program.parseAsync(words, { from: 'user' })
      for (const name of called)
        expect(path === 'the program' || `${name} `.startsWith(`${path} `)).toBe(true)
      expect(called).toHaveLength(examples.length)
      await expect(
        program.parseAsync([...(examples[0] ?? []), '--nonsense'], { from: 'user' }),
      ).rejects.toThrow('--nonsense')
    },
  )

  test('every command, option and argument has a description', () => {
    for (const { path, command } of entries) {
      expect(command.description(), path).not.toBe('')
      for (const option of command.options) expect(option.description, `${path} ${option.flags}`).not.toBe('')
      for (const argument of command.registeredArguments)
        expect(argument.description, `${path} ${argument.name()}`).not.toBe('')
    }
  })
})
