import { Argument, type Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `dragoman completion <shell>`: what makes a shell know the commands, their options and files. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('prints what makes bash, zsh or fish complete commands, options and files')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { commandTree } = await import('./completion/command-tree.ts')
      const { bashCompletion } = await import('./completion/bash.ts')
      const { zshCompletion } = await import('./completion/zsh.ts')
      const { fishCompletion } = await import('./completion/fish.ts')
      const script = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell]
      process.stdout.write(script(commandTree(program)))
    })
}
