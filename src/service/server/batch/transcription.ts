import { type Clock, setTimer } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import type { SpeechToText, Transcript } from '../engines/engine.ts'
import { ServiceError } from '../errors.ts'
import type { JobContext } from './job-form.ts'

/** Transcript of a file. */
export interface Transcription {
  /** In file order; none is empty. */
  readonly utterances: readonly Transcript[]
  /** Duration of the audio. */
  readonly durationMs: number
}

/** Audio queued at the recognizer: enough to keep it busy, little enough not to delay live speakers (ms). */
const AHEAD_MS = 500
/** Poll interval while the recognizer is full (ms). */
const LOOK_MS = 20
/** Silence after the last sample, which ends the last utterance: 1.5 s at 16 kHz, in pieces. */
const SILENCE = { pieces: 15, samples: 1_600 }

/**
 * Feeds `sound` to an engine as fast as it recognizes, and collects its results. Throws a `ServiceError`: a file error,
 * `too_long`, `transcription_failed`, or the reason of the signal. Always closes the stream.
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
  // The trailing silence is not part of the file.
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
  return new ServiceError('transcription_failed', 'the speech recognition engine failed', { cause })
}

function waited(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void setTimer(clock, ms, resolve))
}
