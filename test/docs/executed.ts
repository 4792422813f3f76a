/** Where the commands that pages show are really run, with the real program: what the command begins with, and the test. */
export const EXECUTED: readonly (readonly [begins: RegExp, test: string, mark: string])[] = [
  [/^npm (test|ci)/, 'vitest.config.ts', 'test/**'],
  [/^npm start|^dragoman serve/, 'test/e2e/commands.test.ts', "'serve'"],
  [/^npm run demo$|^dragoman demo$|^dragoman demo --audio/, 'test/e2e/commands.test.ts', "'demo'"],
  [/^(npm run demo --|dragoman demo) --two-phones/, 'test/e2e/two-party/demo.test.ts', 'twoPhones'],
  [/^(npm run demo --|dragoman demo) --discord/, 'test/docs/discord-demo.test.ts', 'discordDemo'],
  [/^npm run reference/, 'test/docs/reference.test.ts', 'referencePages'],
  [/^dragoman call/, 'test/e2e/commands.test.ts', "'call'"],
  [/^dragoman service/, 'test/e2e/commands.test.ts', "'service'"],
  [/^dragoman doctor/, 'test/e2e/commands.test.ts', "'doctor'"],
  [/^dragoman keys/, 'test/e2e/keys.test.ts', "'revoke'"],
  [/^dragoman translate/, 'test/commands/translate.test.ts', 'translate'],
  [/^dragoman conform/, 'test/commands/conform/embedded.test.ts', 'conform'],
  [/^dragoman twilio (bind|unbind)/, 'test/commands/numbers.test.ts', 'unbind'],
  [/^dragoman discord/, 'test/commands/discord.test.ts', 'invite'],
  [/^dragoman completion/, 'test/commands/completion/completion.test.ts', 'completion'],
  [/^node examples\//, 'test/docs/examples.test.ts', 'started'],
]
