import { readFile } from 'node:fs/promises'
import { systemClock } from '../../common/clock.ts'
import { baseUrl } from '../../service/client/base-url.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { createResampler } from '../../transcode/resample/resampler.ts'
import { mono, readWav } from '../../transcode/wav.ts'
import { bundledSentences } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import { examine, type Row } from './examine.ts'
import type { Probe } from './probe.ts'
import { renderRows, rowsExitCode } from './table.ts'

export interface ConformOptions {
  /** The service's address. */
  readonly url: string
  readonly key: string
  readonly from: string
  readonly to: string
  /** WAV file in the source language. Default: a bundled English sentence. */
  readonly audio?: string
  /** Text in the source and in the target language. */
  readonly text: string
  readonly speech: string
  /** Maximum wait for one response (s). */
  readonly patience: number
  readonly json?: boolean
}

/** A short one. */
const SENTENCE = 1
/** Silence after the speech, so that a service detects its end (ms). */
const PAUSE_MS = 1_200
const QUIET_MS = 1_500

/** Checks any service of the interface from outside and reports which statements hold. Returns the exit code. */
export async function conform(options: ConformOptions, terminal: Terminal): Promise<number> {
  const { url, key, from, to, text, speech, patience } = options
  const base = baseUrl(url)
  if (!options.json) terminal.line(`Checking ${base}; this takes about a minute …`)
  const probe: Probe = {
    base,
    apiKey: key,
    source: from,
    target: to,
    text,
    speech,
    pcm: await speechAudio(options.audio),
    pace: 1,
    patienceMs: patience * 1_000,
    quietMs: QUIET_MS,
    clock: systemClock,
  }
  const rows: Row[] = await examine(probe)
  if (options.json) process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`)
  else for (const line of renderRows(rows)) terminal.line(line)
  return rowsExitCode(rows)
}

/** 16 kHz mono, followed by a pause. */
async function speechAudio(path: string | undefined): Promise<Int16Array> {
  const sentences = path === undefined ? await bundledSentences() : []
  const wav = readWav(await readFile(path ?? sentences[SENTENCE] ?? ''))
  const resampler = createResampler(wav.rate, SAMPLE_RATE)
  const speech = [resampler.process(mono(wav)).slice(), resampler.flush()]
  return Int16Array.from([...speech.flatMap(part => [...part]), ...noise((PAUSE_MS * SAMPLE_RATE) / 1_000)])
}

/** Background noise: recognizers treat digital silence as a dead line. */
function noise(samples: number): number[] {
  let seed = 1
  return Array.from({ length: samples }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return (seed >> 16) % 7
  })
}
