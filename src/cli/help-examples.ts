import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'

/** Folder of the recordings shipped with the program. */
export const RECORDINGS = fileURLToPath(new URL('../../recordings/', import.meta.url))

/** Returns one of the recordings as a user would type it: relative to the current folder, if it is inside. */
export function exampleRecording(): string {
  const name = 'sense-and-sensibility-5.wav'
  return existsSync(`recordings/${name}`) ? `recordings/${name}` : RECORDINGS + name
}

/** Example calls of each command, most common first. Shown below `--help`, and parsed by a test. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [command: string, what: string])[]>> = {
  '': [
    ['demo', 'a translated call on this machine'],
    ['serve', 'the bridge server'],
    ['doctor', 'find problems and how to fix them'],
  ],
  serve: [
    ['serve', 'on this machine, with the embedded service'],
    ['serve --config /etc/dragoman.yaml', 'with a settings file'],
    ['serve --port 9000 --captions', 'with captions on the terminal'],
  ],
  service: [['service --port 8090', 'at http://127.0.0.1:8090, with a key for this run']],
  engines: [
    ['engines list', 'what the settings name, and what is installed'],
    ['engines test', 'the engines on this machine'],
  ],
  'engines list': [['engines list --json', 'for scripts']],
  'engines test': [
    ['engines test', 'the bundled sentence, through each engine on this machine'],
    ['engines test pocketsphinx --json', 'one engine, for scripts'],
    ['engines test --live', 'servers as well'],
  ],
  models: [
    ['models add en es', 'everything for calls between English and Spanish'],
    ['models list --all', 'what is installed, and what could be'],
  ],
  'models add': [
    ['models add en es', 'shows sizes and licenses, and asks'],
    ['models add en fr --yes', 'for scripts'],
  ],
  'models list': [['models list --json', 'for scripts']],
  'models check': [['models check', 'also the result to send with a problem']],
  'models remove': [['models remove es', 'what is used only for Spanish']],
  'engines models': [['engines models', 'of the engines on this machine']],
  init: [
    ['init', 'with questions'],
    ['init --yes --hears de-de', 'for the talk page, without questions'],
    ['init --yes --number +15551234567 --public-url https://bridge.example.com', 'for a phone number'],
  ],
  setup: [['setup', 'the engines of the embedded service']],
  fleet: [
    ['fleet', 'the nodes and rooms, as the node on this machine knows them'],
    ['fleet --server http://10.0.0.5:8080 --json', 'for scripts, from another node'],
  ],
  keys: [['keys add desk', 'create a key for desk']],
  'keys add': [['keys add desk --sessions 2 --minutes-per-day 120', 'create a key for desk, with limits']],
  'keys list': [['keys list --json', 'for scripts']],
  'keys revoke': [['keys revoke desk', 'revoke the key of desk']],
  twilio: [['twilio bind +15551234567', 'route the number’s calls to this server']],
  'twilio bind': [
    ['twilio bind +15551234567', 'to publicUrl of dragoman.yaml'],
    ['twilio bind +15551234567 --url https://bridge.example.com', 'to another address'],
  ],
  signalwire: [['signalwire bind +15551234567', 'route the number’s calls to this server']],
  'signalwire bind': [['signalwire bind +15551234567', 'to publicUrl of dragoman.yaml']],
  'signalwire unbind': [['signalwire unbind +15551234567', 'restore the previous target']],
  'twilio unbind': [['twilio unbind +15551234567', 'restore the previous target']],
  discord: [['discord invite', 'print the invite link of the bot']],
  'discord invite': [['discord invite --guild 123456789012345678', 'for one server']],
  'discord register': [['discord register', 'in the places that the settings name']],
  'discord unregister': [['discord unregister --guild 123456789012345678', 'from one server only']],
  demo: [
    ['demo', 'writes demo-heard.wav'],
    ['demo --two-phones', 'two people talking to each other'],
    ['demo --engines', 'with the engines of dragoman.yaml'],
    ['demo --audio speech.wav --to es-mx', 'your own recording, from English to Mexican Spanish'],
  ],
  call: [
    [`call ${exampleRecording()}`, 'a bridge on this machine; alone, you hear your own translation'],
    ['call hola.wav --from es-es --to en-us --room desk', 'join a room'],
    [
      'call speech.wav --server https://bridge.example.com --auth-token 0123456789abcdef0123456789abcdef',
      'another bridge',
    ],
  ],
  conformance: [
    ['conformance https://translation.example.com --key a-key', 'list each statement and whether it holds'],
  ],
  translate: [
    [`translate ${exampleRecording()} --to es-es`, 'transcript, translation and voice'],
    ['translate letter.txt --from en-us --to es-es', 'text'],
    [`translate ${exampleRecording()} --mode stt`, 'only the transcript'],
  ],
  doctor: [
    ['doctor', 'check everything, and place a call through the public address'],
    ['doctor --no-call --json', 'for scripts'],
    ['doctor --connect-to https://127.0.0.1:443', 'before the DNS name points to this server'],
  ],
}

/** Adds the examples to the help of each command. */
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
