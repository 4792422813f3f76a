import { after, type Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import type { SpeechToText, Transcript } from '../engines/speech-to-text.ts'
import { ServiceError } from '../service-error.ts'
import type { JobContext } from './job-limits.ts'

/** What was said in a file. */
export interface Transcription {
  /** In the order of the file; none is empty. */
  readonly utterances: readonly Transcript[]
  /** Length of the sound. */
  readonly durationMs: number
}

/** Audio that may wait at the recogniser: enough that it never waits for us, little enough that speakers do not (ms). */
const AHEAD_MS = 500
/** How often a full recogniser is looked at (ms). */
const LOOK_MS = 20
/** Silence after the last sample, so that the last utterance ends: 1.5 s at 16 kHz, in pieces. */
const SILENCE = { pieces: 15, samples: 1_600 }

/**
 * Feeds `sound` to an engine as fast as it understands and gathers what it says. Throws a `ServiceError`: what is wrong
 * with the file, `too_long`, `transcription_failed`, or the reason of the signal; the stream is closed in any case.
 */
export async function transcription(
  engine: SpeechToText,
  language: LanguageId,
  sound: AsyncIterable<Int16Array> | Iterable<Int16Array>,
  { clock, limits, holder, calm, signal }: JobContext,
): Promise<Transcription> {
  const utterances: Transcript[] = []
  let broken: Error | undefined
  const stream = await opened(engine, language, {
    partial() {},
    final: transcript => void (transcript.text !== '' && utterances.push(transcript)),
    failed(error) {
      broken = error
    },
  })
  const until = async (understood: () => boolean) => {
    while (!understood() && !broken) {
      signal.throwIfAborted()
      await waited(clock, LOOK_MS)
    }
    signal.throwIfAborted()
    if (broken) throw failed(broken)
  }
  let taken = 0
  try {
    for await (const pcm of sound) {
      const ms = durationMs(pcm.length)
      taken += ms
      if (taken > limits.maxFileMs)
        throw new ServiceError('too_long', `the file is longer than ${limits.maxFileMs} ms`)
      holder.takeAudio(ms)
      await calm()
      stream.write(pcm)
      await until(() => stream.waitingMs <= AHEAD_MS)
    }
    const silence = new Int16Array(SILENCE.samples)
    for (let n = 0; n < SILENCE.pieces; n++) stream.write(silence)
    await until(() => stream.queuedMs === 0)
  } finally {
    await stream.close()
  }
  if (broken) throw failed(broken)
  const whole = Math.round(taken)
  // The silence at the end is ours.
  const within = utterances.map(each => ({ ...each, endMs: Math.min(each.endMs, whole) }))
  return { utterances: within, durationMs: whole }
}

async function opened(...[engine, ...how]: [SpeechToText, ...Parameters<SpeechToText['open']>]) {
  try {
    return await engine.open(...how)
  } catch (cause) {
    throw failed(cause)
  }
}

function failed(cause: unknown): ServiceError {
  return new ServiceError('transcription_failed', 'the engine that understands speech failed', { cause })
}

function waited(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void after(clock, ms, resolve))
}
