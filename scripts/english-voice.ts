import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toLine } from '../simulator/twilio/phone/voice.ts'
import { readWav } from '../src/transcode/wav.ts'

/** Returns a clear voice that says `text`, as a phone line carries it (8 kHz). Needs flite. */
export async function englishVoice(text: string): Promise<Int16Array> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-voice-'))
  try {
    const path = join(folder, 'voice.wav')
    await promisify(execFile)('flite', ['-voice', 'rms', '-t', text, '-o', path])
    const { pcm, rate } = readWav(await readFile(path))
    return toLine(pcm, rate)
  } finally {
    await rm(folder, { recursive: true })
  }
}
