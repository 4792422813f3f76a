import { readFile } from 'node:fs/promises'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { primaryCode } from '../../languages.ts'
import { LanguageIdentifier } from './language-identifier.ts'
import type { RecognitionLoad, SynthesisLoad } from './messages.ts'
import type { OfflineTts, SherpaPackage } from './native-package.ts'
import type { ModelStream, RecognitionModel } from './recognition-host.ts'
import { StreamingModel } from './streaming-model.ts'
import { UtteranceModel } from './utterance-model.ts'
import { VoiceDetectorPool } from './voice-detector.ts'

/** Languages of SenseVoice. */
const SENSE_VOICE = ['zh', 'en', 'yue', 'ja', 'ko']

/**
 * Loads a recognition model, with its detector and its language identification. Rejects if a file is missing; an invalid
 * file ends the process. `failed` is called when a stream fails later.
 */
export async function loadRecognition(
  sherpa: SherpaPackage,
  load: RecognitionLoad,
  failed: (stream: ModelStream, error: Error) => void,
): Promise<RecognitionModel> {
  const { vad, vadThreshold, pauseMs, maxUtteranceMs, languageModel, threads, model } = load
  const detectors =
    vad === undefined
      ? undefined
      : new VoiceDetectorPool(sherpa, { model: vad, threshold: vadThreshold, pauseMs, maxUtteranceMs })
  detectors?.warm()
  const identifier = languageModel && new LanguageIdentifier(sherpa, languageModel.files, threads)
  const capitals = await knowsOnlyCapitals(model.files.tokens!)
  const tidy = textRule(capitals)
  const shared = { detectors, identifier, tidy, pauseMs }
  const hotwords = capitals ? load.hotwords.map(word => word.toUpperCase()) : load.hotwords
  if (isStreaming(model.kind)) {
    const recognizer = new sherpa.OnlineRecognizer(streamingConfig({ ...load, hotwords }))
    return new StreamingModel({ recognizer, ...shared })
  }
  const recognizer = await sherpa.OfflineRecognizer.createAsync(utteranceConfig(load))
  return new UtteranceModel({
    recognizer,
    ...shared,
    hotwords: hotwords.map(word => word.replaceAll('/', ' ')).join('/') || undefined,
    maxUtteranceMs,
    failed,
  })
}

/** Loads voices. Rejects if a file is missing; an invalid file ends the process. */
export function loadVoices(sherpa: SherpaPackage, { model, threads }: SynthesisLoad): Promise<OfflineTts> {
  return sherpa.OfflineTts.createAsync({
    model: { [model.kind]: model.files, numThreads: threads, provider: 'cpu', debug: 0 },
    maxNumSentences: 1,
  })
}

/** True for models that recognize while a person speaks. */
function isStreaming(kind: string): boolean {
  return kind.startsWith('streaming-')
}

function common({ model, threads, hotwords, hotwordsScore }: RecognitionLoad) {
  const { tokens, bpeVocab } = model.files
  return {
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    modelConfig: {
      tokens,
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
      ...(bpeVocab === undefined ? { modelingUnit: 'cjkchar' } : { modelingUnit: 'bpe', bpeVocab }),
    },
    decodingMethod: hotwords.length > 0 ? 'modified_beam_search' : 'greedy_search',
    hotwordsScore,
  }
}

function streamingConfig(load: RecognitionLoad): object {
  const { modelConfig, ...rest } = common(load)
  const { kind, files } = load.model
  const { encoder, decoder, joiner, model } = files
  const hotwordsBuf = load.hotwords.map(word => `${word}\n`).join('')
  const network =
    kind === 'streaming-zipformer2-ctc'
      ? { zipformer2Ctc: { model } }
      : kind === 'streaming-nemo-ctc'
        ? { nemoCtc: { model } }
        : { transducer: { encoder, decoder, joiner } }
  return {
    ...rest,
    modelConfig: { ...modelConfig, ...network },
    enableEndpoint: load.vad === undefined ? 1 : 0,
    rule1MinTrailingSilence: 2.4,
    rule2MinTrailingSilence: load.pauseMs / 1000,
    rule3MinUtteranceLength: load.maxUtteranceMs / 1000,
    ...(hotwordsBuf === '' ? {} : { hotwordsBuf, hotwordsBufSize: Buffer.byteLength(hotwordsBuf) }),
  }
}

function utteranceConfig(load: RecognitionLoad): object {
  const { modelConfig, ...rest } = common(load)
  const { kind, files } = load.model
  const [only, ...others] = [...new Set(load.languages.map(primaryCode))]
  const language = others.length === 0 ? only! : ''
  const { encoder, decoder, joiner, model, preprocessor, uncachedDecoder, cachedDecoder } = files
  const network = () => {
    switch (kind) {
      case 'sense-voice': {
        const known = SENSE_VOICE.includes(language) ? language : 'auto'
        return { senseVoice: { model, language: known, useInverseTextNormalization: 1 } }
      }
      case 'whisper':
        return { whisper: { encoder, decoder, language, task: 'transcribe' } }
      case 'moonshine':
        return { moonshine: { preprocessor, encoder, uncachedDecoder, cachedDecoder } }
      default:
        return {
          transducer: { encoder, decoder, joiner },
          modelType: kind === 'nemo-transducer' ? 'nemo_transducer' : 'transducer',
        }
    }
  }
  return { ...rest, modelConfig: { ...modelConfig, ...network() } }
}

async function knowsOnlyCapitals(tokens: string): Promise<boolean> {
  const words = (await readFile(tokens, 'utf8')).replace(/<[^<>]*>/g, '')
  return /\p{Lu}/u.test(words) && !/\p{Ll}/u.test(words)
}

/** Texts of models that know only capitals are written in small letters, like those of other recognizers. */
function textRule(capitals: boolean): (text: string) => string {
  return text => {
    const tidy = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
    return capitals ? tidy.toLowerCase() : tidy
  }
}
