import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { Terminal } from '../terminal.ts'
import type { Minutes } from './minutes.ts'
import { laidOut, type Said, stereoWav } from './stereo.ts'

/** What the demonstration came to, for scripts (`--json`). */
export interface DiscordDemoResult {
  readonly captions: Minutes['said']
  readonly latencyMs: { readonly p50: number; readonly max: number } | undefined
  /** Messages of captions in the chat, and how often they were edited as people spoke. */
  readonly messages: number
  readonly edits: number
  /** End-to-end encrypted voice, both ways. */
  readonly encrypted: boolean
  /** Languages whose words are the script's, as no engine here recognises them. */
  readonly scripted: readonly string[]
  readonly files: readonly string[]
  readonly ok: boolean
}

/** What is written: what was said in the channel (left), what the bot said there (right), and the chat. */
export interface DiscordRecord {
  readonly said: readonly Said[]
  /** When `heard` begins (ms of the clock that `said` is on). */
  readonly startedAt: number
  /** 16 kHz mono. */
  readonly heard: Int16Array
  readonly chat: readonly string[]
}

/** Writes into `folder`, which is there; returns the paths. */
export async function writeRecord(
  { said, startedAt, heard, chat }: DiscordRecord,
  minutes: Minutes,
  folder: string,
): Promise<string[]> {
  const own = laidOut(said, startedAt, heard.length, SAMPLE_RATE)
  const files: [name: string, content: string | Uint8Array][] = [
    ['channel.wav', stereoWav(own, heard, SAMPLE_RATE)],
    ['chat.txt', `${chat.join('\n\n')}\n`],
    ['transcript.txt', minutes.text],
  ]
  const written: string[] = []
  for (const [name, content] of files) {
    const path = join(folder, name)
    await writeFile(path, content)
    written.push(path)
  }
  return written
}

/** For people. */
export function reportDiscord(result: DiscordDemoResult, terminal: Terminal): void {
  const { captions, latencyMs, messages, edits, files, ok } = result
  terminal.line()
  terminal.line(
    `${captions.length} utterances translated and heard; ${messages} captions, edited ${edits} times while people spoke`,
  )
  if (latencyMs)
    terminal.line(
      `end of speech → first translated frame: p50 ${(latencyMs.p50 / 1000).toFixed(2)} s, most ${(latencyMs.max / 1000).toFixed(2)} s`,
    )
  terminal.line(
    'Written, in the WAV file left what people said and right what the channel heard from the bot:',
  )
  for (const file of files) terminal.line(`  ${file}`)
  if (!ok)
    terminal.line(
      'FAILED: not everything was translated, heard and written; `dragoman doctor` says what is missing.',
    )
}
