import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../until.ts'

/** True if sound cards can be simulated: PulseAudio is installed. */
export const hasSoundCards = (process.env.PATH ?? '')
  .split(delimiter)
  .some(folder => existsSync(join(folder, 'pulseaudio')))

/** A simulated sound card, for one browser. The caller disposes of it. */
export interface SoundCard extends AsyncDisposable {
  /** Environment of a program that uses it. */
  readonly env: Readonly<Record<string, string>>
}

/** Starts a sound card that runs at `hz`. Nobody hears it, and its clock is the system's. */
export async function soundCard(hz: number): Promise<SoundCard> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-sound-'))
  const socket = join(folder, 'native')
  const program = spawn(
    'pulseaudio',
    [
      ...['-n', '--daemonize=no', '--exit-idle-time=-1', '--disable-shm', '--use-pid-file=no'],
      ...['-L', `module-null-sink sink_name=card rate=${hz} channels=1`],
      ...['-L', `module-native-protocol-unix socket=${socket} auth-anonymous=1`],
    ],
    { stdio: 'ignore', env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder } },
  )
  const ended = new Promise<void>(resolve => program.once('exit', () => resolve()))
  await until(() => existsSync(socket), 10_000, 'the sound card')
  return {
    env: { PULSE_SERVER: `unix:${socket}` },
    async [Symbol.asyncDispose]() {
      program.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
