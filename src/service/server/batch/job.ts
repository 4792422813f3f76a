import type { Mp3Pool } from '../../../transcode/mp3/mp3-pool.ts'
import type { BatchResult, BatchUtterance } from '../../contract.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import { ServiceError } from '../service-error.ts'
import { fileSound } from './file-sound.ts'
import type { JobForm } from './job-form.ts'
import { recognizerFor, translationFor, voiceFor } from './job-languages.ts'
import type { JobContext } from './job-limits.ts'
import type { JobParameters } from './job-parameters.ts'
import { jobText } from './job-text.ts'
import { SpokenFile } from './spoken-file.ts'
import { transcription } from './transcription.ts'
import { translated } from './translated.ts'

export interface JobTools {
  readonly engines: EngineSet
  readonly mp3: Mp3Pool
}

/** The work of a job, after everything that can be checked in advance has been checked. */
export type Work = () => Promise<BatchResult>

/** Prepares the work of a request. Throws a `ServiceError` for an invalid request; the work rejects with one. */
export function jobOf(parameters: JobParameters, form: JobForm, tools: JobTools, context: JobContext): Work {
  switch (parameters.mode) {
    case 'stt':
    case 'sts':
      return spoken(parameters, form, tools, context)
    case 'translator':
    case 'tts':
      return written(parameters, form, tools, context)
    default:
      return parameters.mode satisfies never
  }
}

function spoken(parameters: JobParameters, form: JobForm, tools: JobTools, context: JobContext): Work {
  const { mode, source, target, text, rate } = parameters
  const { engines, mp3 } = tools
  const { engine, language } = recognizerFor(source, engines)
  const translation = mode === 'sts' ? translationFor(language, target, engines) : undefined
  const voice = translation && voiceFor(translation.target, parameters.wish, engines)
  if (!form.file)
    throw new ServiceError(
      'file_missing',
      `${mode} requires an audio file in the part "file"${text ? ', not text' : ''}`,
    )
  const sound = fileSound(form.file, mp3, context.limits.maxFileMs)
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
      utterances.push({ id, text, startMs, endMs, ...(said === undefined ? {} : { translation: said }) })
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

function written(parameters: JobParameters, form: JobForm, tools: JobTools, context: JobContext): Work {
  const { mode, source, target, rate } = parameters
  const { engines } = tools
  const { limits, holder } = context
  if (mode === 'translator') {
    const translation = translationFor(source, target, engines)
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
  const voice = voiceFor(target ?? source, parameters.wish, engines)
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
