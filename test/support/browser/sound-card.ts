import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../until.ts'

/** PulseAudio is installed. */
export const hasSoundCard = (process.env.PATH ?? '')
  .split(delimiter)
  .some(folder => existsSync(join(folder, 'pulseaudio')))

/**
 * A sound card without a sound: a PulseAudio of its own that discards what is played, in real time. Firefox runs no audio
 * without one, unlike Chromium. Its environment goes to the browser; the caller disposes of it.
 */
export async function soundCard(): Promise<{ env: Record<string, string>; close(): void }> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-sound-'))
  const socket = join(folder, 'native')
  const modules = [
    'module-null-sink rate=48000',
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
  ]
  const program = spawn(
    'pulseaudio',
    [
      ...['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', '--disable-shm=yes'],
      ...['--realtime=no', '--high-priority=no', ...modules.flatMap(each => ['-L', each])],
    ],
    { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder }, stdio: 'ignore' },
  )
  const close = () => {
    program.kill()
    void rm(folder, { recursive: true, force: true })
  }
  try {
    await until(() => existsSync(socket), 10_000, 'the sound card')
  } catch (error) {
    close()
    throw error
  }
  return { env: { PULSE_SERVER: `unix:${socket}` }, close }
}
