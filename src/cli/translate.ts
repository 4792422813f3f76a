import { readFile, writeFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Config } from '../app/settings/load.ts'
import { systemClock, Ticker } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { type BatchMode, type BatchReply, ServiceClient } from '../service/index.ts'
import { EngineWarnings } from './engines.ts'
import { reachedService } from './service.ts'
import type { Terminal } from './terminal.ts'
import { assertWritable } from './terminal.ts'

/** Text files; all other files are treated as audio. */
const TEXT = /\.(txt|text|md|srt|csv)$/i

export interface TranslateOptions {
  /** Audio (WAV, MP3, Ogg, WebM) or text. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** Default: `sts` for audio, `translator` for text. */
  readonly mode?: BatchMode | undefined
  /** Output file for the translated voice. Default: `<name of the file>.<to>.mp3` in the working directory. */
  readonly output?: string | undefined
  readonly json?: boolean | undefined
}

/** Result for scripts (`--json`). */
interface Translated {
  readonly mode: BatchMode
  readonly text?: string
  readonly translation?: string
  /** The MP3 file written. */
  readonly output?: string
  /** Engines that failed and their replacements; only for an embedded service. */
  readonly warnings?: readonly string[]
  readonly ms: number
}

/**
 * Translates a file with the configured service, or with an embedded one started for it. Returns the exit code. Rejects
 * with the service’s error.
 */
export async function translate(
  options: TranslateOptions,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  // Checked first, so that an unreadable or unwritable file fails before the engines start.
  if (options.output !== undefined) await assertWritable(options.output)
  const bytes = await readFile(options.file)
  const { mode = TEXT.test(options.file) ? 'translator' : 'sts' } = options
  const begun = systemClock.now()
  const warnings = new EngineWarnings()
  const reply = await asked({ ...options, mode }, bytes, config, terminal, warnings.log)
  const output = await written(reply, options)
  const { text, translation } = reply
  const ms = Math.round(systemClock.now() - begun)
  tell(
    {
      mode,
      text,
      translation,
      ...output,
      ...(warnings.all.length === 0 ? {} : { warnings: warnings.all }),
      ms,
    },
    options,
    terminal,
  )
  return 0
}

/** Sends the request and shows the elapsed time. */
async function asked(
  { file, from, to, mode }: TranslateOptions & { mode: BatchMode },
  bytes: Uint8Array,
  config: Config,
  terminal: Terminal,
  log: Logger,
): Promise<BatchReply> {
  const begun = systemClock.now()
  const name = basename(file)
  let doing = 'starting the translation service'
  using _progress = new Ticker(systemClock, 200, now =>
    terminal.status(`${name}: ${doing}, ${((now - begun) / 1000).toFixed(1)} s`),
  )
  try {
    await using service = await reachedService(config, log)
    doing = `${mode} at ${service.url}`
    return await new ServiceClient(service).batch({
      mode,
      file: bytes,
      fileName: name,
      languageIdSource: from,
      languageIdTarget: mode === 'stt' ? undefined : to,
      more: mode === 'sts' || mode === 'tts' ? { dataEncoding: 'base64' } : undefined,
    })
  } finally {
    terminal.status('')
  }
}

async function written(
  { audio }: BatchReply,
  { file, to, output = `${basename(file, extname(file))}.${to}.mp3` }: TranslateOptions,
): Promise<{ output?: string }> {
  if (!audio || audio.length === 0) return {}
  await writeFile(output, audio)
  return { output }
}

function tell(result: Translated, { json, from, to }: TranslateOptions, terminal: Terminal): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
    return
  }
  const { mode, text, translation, output, warnings = [], ms } = result
  const lines = (language: string, words = '') => {
    for (const line of words.split('\n')) terminal.line(`${language}  ${line}`)
  }
  if (text && mode !== 'translator') lines(from, text)
  if (text === '') terminal.line('No speech was recognized.')
  if (translation) lines(to, translation)
  if (output) terminal.line(`Voice: ${output}`)
  for (const warning of warnings) terminal.line(`Warning: ${warning}`)
  terminal.line(`Took ${(ms / 1000).toFixed(1)} s`)
}
