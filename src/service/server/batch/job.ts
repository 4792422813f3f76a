import { pause } from '../../../common/clock.ts'
import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import { durationMs } from '../../../transcode/pcm.ts'
import type { BatchResult, BatchUtterance } from '../../contract.ts'
import type { SpeechToText, Transcript } from '../../engines/engine.ts'
import type { EngineSet, OfferedVoice } from '../../engines/engine-set.ts'
import { ServiceError } from '../errors.ts'
import { assertSpoken, recognizedLanguages, recognizerFor, required, translatorFor } from '../requirements.ts'
import { chooseVoice, type VoiceRequest } from '../voice-catalog.ts'
import { fileSound } from './audio-file.ts'
import { type JobContext, type JobForm, type JobParameters, jobText } from './job-form.ts'
import { SpokenFile, type Translation, translated } from './text-work.ts'

/**
 * Returns the recognizer for `source` and the language it recognizes. Without `source`: the only language available.
 */
function recognitionOf(
  source: LanguageId | undefined,
  engines: EngineSet,
): { engine: SpeechToText; language: LanguageId } {
  const known = recognizedLanguages(engines)
  const [only] = known
  if (source === undefined && !known.every(each => sameLanguage(each, only)))
    throw new ServiceError(
      'language_not_detected',
      `speech is recognized in ${known.join(', ')}: set languageIdSource to one of them`,
    )
  const language = source === undefined ? only : required(source, 'languageIdSource')
  return { engine: recognizerFor(language, engines), language }
}

/** Returns the translation from `source` to `target`. */
function translationOf(
  source: LanguageId | undefined,
  target: LanguageId | undefined,
  engines: EngineSet,
): Translation {
  const from = required(source, 'languageIdSource')
  const to = required(target, 'languageIdTarget')
  return { translator: translatorFor(from, to, engines), source: from, target: to }
}

/** Returns the requested voice of `language`. */
function voiceOf(language: LanguageId | undefined, wish: VoiceRequest, engines: EngineSet): OfferedVoice {
  const languageIdTarget = required(language, 'languageIdTarget')
  assertSpoken(engines)
  return chooseVoice({ languageIdTarget, ...wish }, engines)
}

/** The work of a job, after everything that can be checked in advance has been checked. */
export type Work = () => Promise<BatchResult>

/** Prepares the work of a request. Throws a `ServiceError` for an invalid request; the work rejects with one. */
export function jobOf(
  parameters: JobParameters,
  form: JobForm,
  engines: EngineSet,
  context: JobContext,
): Work {
  switch (parameters.mode) {
    case 'stt':
    case 'sts':
      return spoken(parameters, form, engines, context)
    case 'translator':
    case 'tts':
      return written(parameters, form, engines, context)
    default:
      return parameters.mode satisfies never
  }
}

function spoken(parameters: JobParameters, form: JobForm, engines: EngineSet, context: JobContext): Work {
  const { mode, source, target, text, rate } = parameters
  const { engine, language } = recognitionOf(source, engines)
  const translation = mode === 'sts' ? translationOf(language, target, engines) : undefined
  const voice = translation && voiceOf(translation.target, parameters.wish, engines)
  if (!form.file)
    throw new ServiceError(
      'file_missing',
      `${mode} requires an audio file in the part "file"${text ? ', not text' : ''}`,
    )
  const sound = fileSound(form.file, context.limits.maxFileMs)
  return async () => {
    const heard = await transcription(engine, language, sound, context)
    if (heard.utterances.length === 0 && source === undefined)
      throw new ServiceError('language_not_detected', `no speech in the file was recognized as ${language}`)
    const utterances: BatchUtterance[] = []
    const file = voice && new SpokenFile(voice, rate, context)
    for (const { text, startMs, endMs } of heard.utterances) {
      const id = String(utterances.length + 1)
      const said = translation ? await translated(text, translation, context) : undefined
      if (said) await file?.speak(said)
      utterances.push({ id, text, startMs, endMs, translation: said })
    }
    const result = { languageIdSource: language, text: joined(utterances.map(each => each.text)) }
    const rest = { utterances, durationMs: heard.durationMs }
    if (!translation || !file) return { ...result, ...rest }
    const data = file.finish()
    return {
      ...result,
      languageIdTarget: translation.target,
      translation: joined(utterances.map(each => each.translation ?? '')),
      ...rest,
      ...(data.length > 0 ? { file: { data, codec: 'mp3', sampleRate: rate } } : {}),
    }
  }
}

function written(parameters: JobParameters, form: JobForm, engines: EngineSet, context: JobContext): Work {
  const { mode, source, target, rate } = parameters
  const { limits, holder } = context
  if (mode === 'translator') {
    const translation = translationOf(source, target, engines)
    const text = jobText(parameters, form, limits.maxTextLength)
    return async () => {
      holder.takeText(text)
      return {
        languageIdSource: translation.source,
        languageIdTarget: translation.target,
        text,
        translation: await translated(text, translation, context),
      }
    }
  }
  const voice = voiceOf(target ?? source, parameters.wish, engines)
  const text = jobText(parameters, form, limits.maxTextLength)
  return async () => {
    holder.takeText(text)
    const file = new SpokenFile(voice, rate, context)
    await file.speak(text)
    const languageIdTarget = voice.entry.languageId
    return { languageIdTarget, file: { data: file.finish(), codec: 'mp3', sampleRate: rate } }
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter(Boolean).join(' ')
}

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
async function transcription(
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
      await pause(clock, LOOK_MS)
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
