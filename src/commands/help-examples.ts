import type { Command } from 'commander'

/** What people type, by command; the first is what most want. Shown below `--help`, and parsed by a test. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [command: string, what: string])[]>> = {
  '': [
    ['demo', 'a translated call on this machine, to hear it'],
    ['serve', 'the bridge server'],
    ['doctor', 'what is wrong, and how to mend it'],
  ],
  serve: [
    ['serve', 'on this machine, with the embedded service'],
    ['serve --config /etc/dragoman.yaml', 'with settings'],
    ['serve --port 9000 --captions', 'with captions on the terminal'],
  ],
  service: [['service --port 8090', 'at http://127.0.0.1:8090, with a key for this run']],
  setup: [['setup', 'the engines of the embedded service']],
  keys: [['keys add desk', 'a key for desk']],
  'keys add': [['keys add desk --sessions 2 --minutes-per-day 120', 'a key for desk, with limits']],
  'keys list': [['keys list --json', 'for scripts']],
  'keys revoke': [['keys revoke desk', 'desk has none any more']],
  twilio: [['twilio bind +15551234567', 'calls of the number come here']],
  'twilio bind': [
    ['twilio bind +15551234567', 'to publicUrl of dragoman.yaml'],
    ['twilio bind +15551234567 --url https://bridge.example.com', 'to another address'],
  ],
  'twilio unbind': [['twilio unbind +15551234567', 'what was there before']],
  discord: [['discord invite', 'the address by which a server invites the bot']],
  'discord invite': [['discord invite --guild 123456789012345678', 'for one server']],
  'discord register': [['discord register', 'where the settings say']],
  'discord unregister': [['discord unregister --guild 123456789012345678', 'from one server only']],
  demo: [
    ['demo', 'writes demo-heard.wav'],
    ['demo --two-phones', 'two people who talk with each other'],
    ['demo --audio speech.wav --to es-mx', 'your own recording, in English, into Mexican Spanish'],
  ],
  call: [
    ['call speech.wav', 'a bridge on this machine, alone: hears its own translation'],
    ['call hola.wav --from es-es --to en-us --room desk', 'into a room, to whoever is there'],
    [
      'call speech.wav --server https://bridge.example.com --auth-token 0123456789abcdef0123456789abcdef',
      'another bridge',
    ],
  ],
  conform: [['conform https://translation.example.com --key a-key', 'which statements hold, one by one']],
  translate: [
    ['translate speech.wav --to es-es', 'text and voice'],
    ['translate letter.txt --from en-us --to es-es', 'text'],
    ['translate speech.wav --mode stt', 'only what is said'],
  ],
  doctor: [
    ['doctor', 'looks at everything, and places a call by the public address'],
    ['doctor --no-call --json', 'for scripts'],
    ['doctor --connect-to https://127.0.0.1:443', 'before the name leads here'],
  ],
  completion: [
    ['completion bash', 'source <(dragoman completion bash), in ~/.bashrc'],
    ['completion fish', 'into ~/.config/fish/completions/dragoman.fish'],
  ],
}

/** Adds its examples to the help of each command. */
export function addExamples(program: Command, path = ''): void {
  const examples = EXAMPLES[path] ?? []
  if (examples.length > 0) {
    const lines = examples.map(([command, what]) => `  # ${what}\n  $ ${rootOf(program).name()} ${command}`)
    program.addHelpText('after', `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`)
  }
  for (const command of program.commands) addExamples(command, `${path} ${command.name()}`.trim())
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}
