import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { programsFolder } from './extracted.mjs'

/**
 * The system parts of the project: the purpose of each, its Debian packages, and the file that proves that it is
 * installed, by any means. `file` is searched in every directory of its kind.
 */
const PARTS = [
  {
    name: 'speech recognition',
    packages: ['libpocketsphinx3'],
    file: { kind: 'library', names: ['libpocketsphinx.so.3', 'libpocketsphinx.3.dylib'] },
    without: 'the embedded service transcribes nothing',
  },
  {
    name: 'recognition model for English',
    packages: ['pocketsphinx-en-us'],
    file: { kind: 'shared', names: ['pocketsphinx/model/en-us/en-us/mdef'] },
    without: 'the embedded service transcribes nothing',
  },
  {
    name: 'translation',
    packages: ['apertium'],
    file: { kind: 'program', names: ['apertium'] },
    without: 'the embedded service translates nothing',
  },
  {
    name: 'translation English–Spanish',
    packages: ['apertium-eng-spa'],
    file: { kind: 'shared', names: ['apertium/modes/eng-spa.mode'] },
    without: 'the embedded service translates nothing between English and Spanish',
  },
  {
    name: 'voices',
    packages: ['espeak-ng'],
    file: { kind: 'program', names: ['espeak-ng'] },
    without: 'the embedded service speaks nothing',
  },
]

/**
 * Used only by tests: independent programs for comparison, one to inspect processes, an engine with more voices, and two
 * browsers.
 */
const PROGRAMS_FOR_TESTS = [
  { program: 'lame', packages: ['lame'] },
  { program: 'ffmpeg', packages: ['ffmpeg'] },
  { program: 'sox', packages: ['sox'] },
  { program: 'ps', packages: ['procps'] },
  { program: 'flite', packages: ['flite'] },
  { program: 'chromium', packages: ['chromium'] },
  { program: 'firefox-esr', packages: ['firefox-esr'] },
  // The sound card of Firefox, which runs no audio without one.
  { program: 'pulseaudio', packages: ['pulseaudio'] },
].map(({ program, packages }) => ({
  name: `${program}, for tests`,
  packages,
  file: { kind: 'program', names: [program] },
  without: 'some tests are skipped or fail',
  optional: true,
}))

/** An independent client and server of the service's interface. */
const PYTHON_CLIENT = {
  name: 'Socket.IO for Python, for tests',
  packages: ['python3-socketio', 'python3-websocket', 'python3-aiohttp'],
  file: { kind: 'library', names: ['python3/dist-packages/aiohttp/__init__.py'] },
  without: 'its test is skipped',
  optional: true,
}

/** Recordings of another voice, with a grammar of the speech. */
const GRAMMAR_RECORDINGS = {
  name: 'recordings of the recognizer, for tests',
  packages: ['pocketsphinx-testdata'],
  file: { kind: 'shared', names: ['pocketsphinx/test/data/cards/cards.gram'] },
  without: 'its test is skipped',
  optional: true,
}

/** Reverse proxies for the bridge. Only unpacked: installed packages would be started automatically. */
const PROXIES = ['nginx', 'caddy'].map(program => ({
  name: `${program}, for tests`,
  packages: [program],
  file: { kind: 'program', names: [program] },
  without: 'its test is skipped',
  optional: true,
  extracted: true,
}))

/** Checks metrics and rules. Only unpacked, for the same reason. */
const PROMTOOL = {
  name: 'promtool, for tests',
  packages: ['prometheus'],
  file: { kind: 'program', names: ['promtool'] },
  without: 'its tests are skipped',
  optional: true,
  extracted: true,
}

/** The bus of a fleet. Only unpacked, for the same reason. That of Debian 12 loses writes in a cluster. */
const NATS = {
  name: 'nats-server, for a fleet on this machine and its tests',
  packages: ['nats-server'],
  file: { kind: 'program', names: ['nats-server'] },
  without: 'npm run fleet does not work, and the tests of a fleet are skipped',
  optional: true,
  extracted: true,
  suite: 'trixie',
}

const FOR_TESTS = [...PROGRAMS_FOR_TESTS, PYTHON_CLIENT, GRAMMAR_RECORDINGS, ...PROXIES, PROMTOOL, NATS]

/** The parts that are missing on this system. */
export function missingParts({ systemRoot, forTests, forFleet = false, project }) {
  const wanted = [...PARTS, ...(forTests ? FOR_TESTS : forFleet ? [NATS] : [])]
  const directories = directoriesBelow(systemRoot, project)
  return wanted.filter(
    ({ file }) =>
      !directories[file.kind].some(directory => file.names.some(name => existsSync(join(directory, name)))),
  )
}

function directoriesBelow(systemRoot, project) {
  const below = paths => paths.map(path => join(systemRoot, path))
  const path = systemRoot === '/' ? (process.env.PATH ?? '').split(':') : []
  const libraries = below(['usr/lib', 'usr/lib64', 'lib', 'usr/local/lib', 'opt/homebrew/lib'])
  return {
    program: [
      ...below(['usr/bin', 'usr/sbin', 'usr/local/bin', 'bin', 'opt/homebrew/bin']),
      ...path,
      ...['usr/bin', 'usr/sbin'].map(folder => join(programsFolder(project), folder)),
    ],
    library: libraries.flatMap(directory => [directory, ...multiarch(directory)]),
    shared: below(['usr/share', 'usr/local/share', 'opt/homebrew/share']),
  }
}

/** Debian keeps libraries in a folder named after the architecture, such as `x86_64-linux-gnu`. */
function multiarch(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && /-linux-(gnu|musl)/.test(entry.name))
      .map(entry => join(directory, entry.name))
  } catch {
    return []
  }
}
