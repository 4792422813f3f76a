/**
 * Builds the images of deploy/docker/Dockerfile without Docker and without a base image from a registry, runs them, and
 * places a call: proves that the Dockerfile works on a machine that has only Debian's packages and npm's.
 *
 *   node scripts/build-image.mjs [--keep]
 *
 * Requires root, buildah and mmdebstrap (sudo apt-get install --no-install-recommends buildah crun mmdebstrap). The base is
 * a minimal Debian 12 from the package sources of this machine with the project's Node and this machine's npm. `--keep`
 * keeps the storage with the images and prints its path.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } })
const BASE = 'localhost/dragoman-base'
const IMAGES = { bridge: 'localhost/dragoman-bridge', engines: 'localhost/dragoman-engines' }
/** The release of the Dockerfile's base image. */
const RELEASE = 'bookworm'
/** Port of the server in the container, which uses this machine's network. */
const PORT = '18080'
/** Time for a server to start (ms). */
const START_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'dragoman-image-'))
// Works inside containers and virtual machines, too: no overlay file system and no user namespaces.
const storage = [
  '--storage-driver',
  'vfs',
  '--root',
  join(folder, 'storage'),
  '--runroot',
  join(folder, 'run'),
]

function say(text) {
  process.stdout.write(`${text}\n`)
}

/** Runs a program to its end, with its output on the terminal; returns its standard output if `quiet`. */
function run(program, args, { quiet = false } = {}) {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
  return (stdout ?? '').trim()
}

const buildah = (command, ...args) => run('buildah', [command, ...storage, ...args], { quiet: true })

/** The package sources of this machine, both formats. */
function packageSources() {
  const apt = '/etc/apt'
  const list = join(apt, 'sources.list.d')
  const names = existsSync(list) ? readdirSync(list).filter(name => /\.(list|sources)$/.test(name)) : []
  const debian = [join(apt, 'sources.list'), ...names.map(name => join(list, name))]
    .filter(path => existsSync(path))
    .filter(path => readFileSync(path, 'utf8').includes(RELEASE))
  if (debian.length === 0) throw new Error(`this machine has no package sources of Debian ${RELEASE}`)
  return debian
}

/** A minimal Debian with Node and npm, like the official image. */
function makeBase() {
  const tar = join(folder, 'base.tar')
  run('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    '--include=ca-certificates,libatomic1,libstdc++6',
    ...[RELEASE, tar, ...packageSources()],
  ])
  const container = buildah('from', 'scratch')
  buildah('add', container, tar, '/')
  rmSync(tar)
  buildah('copy', container, join(project, 'node_modules/.bin/node'), '/usr/local/bin/node')
  const npm = join(run('npm', ['root', '--global'], { quiet: true }), 'npm')
  buildah('copy', container, npm, '/usr/local/lib/node_modules/npm')
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
  buildah('run', '--isolation', 'chroot', container, '--', 'sh', '-c', link)
  buildah('commit', '--rm', container, BASE)
}

/** Volumes by which npm in the container uses the registry and the certificates of this machine. */
function npmVolumes() {
  const setting = name => run('npm', ['config', 'get', name], { quiet: true })
  const file = setting('cafile')
  const lines = [`registry=${setting('registry')}`, ...(file === 'null' ? [] : ['cafile=/etc/npm-ca.crt'])]
  const path = join(folder, 'npmrc')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return [`${path}:/root/.npmrc:ro`, ...(file === 'null' ? [] : [`${file}:/etc/npm-ca.crt:ro`])]
}

function build(target) {
  const volumes = npmVolumes().flatMap(volume => ['--volume', volume])
  const args = ['--file', 'deploy/docker/Dockerfile', '--target', target, '--tag', IMAGES[target]]
  run('buildah', [
    ...[
      'bud',
      ...storage,
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--build-arg',
      `NODE_IMAGE=${BASE}`,
    ],
    ...[...volumes, ...args, '.'],
  ])
}

/** Starts a server of the image, as its user, and calls it. */
async function call() {
  const container = buildah('from', IMAGES.engines)
  const inside = ['run', ...storage, '--isolation', 'chroot', '--user', '1000:1000']
  const serve = ['node', '/app/dist/main.js', 'serve', '--insecure', '--host', '127.0.0.1', '--port', PORT]
  // Its output is shown only if it fails.
  const log = join(folder, 'server.log')
  const output = openSync(log, 'w')
  const server = spawn('buildah', [...inside, container, '--', ...serve], {
    stdio: ['ignore', output, output],
    detached: true,
  })
  const url = `http://127.0.0.1:${PORT}`
  try {
    const deadline = performance.now() + START_MS
    const answers = () =>
      fetch(`${url}/live`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await answers())) {
      if (server.exitCode !== null || performance.now() > deadline)
        throw new Error('the server did not start')
      await new Promise(done => setTimeout(done, 200))
    }
    buildah(
      'run',
      '--isolation',
      'chroot',
      '--env',
      `DRAGOMAN_PORT=${PORT}`,
      container,
      '--',
      'node',
      '/app/healthy.mjs',
    )
    const heard = join(folder, 'heard.wav')
    const speech = join(project, 'recordings/sense-and-sensibility-4.wav')
    const node = join(project, 'node_modules/.bin/node')
    const options = ['--server', url, '--output', heard, '--json']
    const report = JSON.parse(
      run(node, [join(project, 'src/main.ts'), 'call', speech, ...options], { quiet: true }),
    )
    if (!(report.translations > 0) || report.problems.length > 0) throw new Error(JSON.stringify(report))
    say(`The image translated a call: ${report.heardMs} ms of voice after ${report.latenciesMs[0]} ms.`)
  } catch (error) {
    say(readFileSync(log, 'utf8'))
    throw error
  } finally {
    try {
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM')
    } catch {
      // It has ended.
    }
    if (server.exitCode === null) await new Promise(done => server.once('exit', done))
    buildah('rm', container)
  }
}

function sizeOf(image) {
  const bytes = Number(buildah('images', '--format', '{{.Size}}', image).replace(/ ?MB$/, ''))
  return `${image}: ${Number.isNaN(bytes) ? '' : `${bytes} MB`}`
}

for (const program of ['buildah', 'mmdebstrap'])
  if (spawnSync(program, ['--version']).error) {
    process.stderr.write(
      `${program} is not installed: sudo apt-get install --no-install-recommends buildah crun mmdebstrap\n`,
    )
    process.exit(1)
  }
try {
  say('Making the base…')
  makeBase()
  for (const target of Object.keys(IMAGES)) {
    say(`Building ${IMAGES[target]}…`)
    build(target)
    say(sizeOf(IMAGES[target]))
  }
  say('Calling…')
  await call()
} finally {
  if (values.keep) say(`Images: buildah images ${storage.join(' ')}`)
  else rmSync(folder, { recursive: true, force: true })
}
