import { Argument, type Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `dragoman completion <shell>`: prints the completion script of a shell. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes commands, options and files in bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { commandTree } = await import('./command-tree.ts')
      const { bashCompletion } = await import('./bash.ts')
      const { zshCompletion } = await import('./zsh.ts')
      const { fishCompletion } = await import('./fish.ts')
      const script = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell]
      process.stdout.write(script(commandTree(program)))
    })
}
