import { isLanguageId } from '../../common/language.ts'
import type {
  ConnectionParameters,
  Namespace,
  ReceiveAudio,
  SendAudio,
  ServiceErrorBody,
} from '../../service/contract.ts'

type Query = Readonly<Record<string, string | string[] | undefined>>
type Reading = ConnectionParameters | ServiceErrorBody

/**
 * Validates a connection's query like a strict service: returns the effective parameters, or the error that rejects
 * them.
 */
export function readParameters(query: Query, namespace: Namespace): Reading {
  if (namespace === '/tts') return readHearing(query, {}, undefined)
  const from = query.languageIdSource
  if (from === undefined) return wrong('language_missing', 'languageIdSource is missing')
  if (typeof from !== 'string' || !isLanguageId(from)) return malformed('languageIdSource')
  if (namespace === '/translator') return readTarget(query, { languageIdSource: from })
  const send = parse(query.sendAudio ?? '{"broadcastVia":"chunk","sampleRate":16000}')
  if (!isSendAudio(send)) return wrong('value_not_allowed', 'sendAudio must be chunk, linear16, 16000')
  const given = query.partials === undefined ? undefined : query.partials === 'true'
  const parameters = { languageIdSource: from, sendAudio: { ...send, codec: 'linear16' as const } }
  if (namespace === '/stt') return { ...parameters, partials: given ?? true }
  return readHearing(query, parameters, given)
}

function readTarget(query: Query, parameters: ConnectionParameters): Reading {
  const to = query.languageIdTarget
  if (to === undefined) return wrong('language_missing', 'languageIdTarget is missing')
  if (typeof to !== 'string' || !isLanguageId(to)) return malformed('languageIdTarget')
  return { ...parameters, languageIdTarget: to }
}

/** Requested language and audio; `partials` apply only to namespaces with speech input. */
function readHearing(query: Query, parameters: ConnectionParameters, partials: boolean | undefined): Reading {
  const target = readTarget(query, parameters)
  if ('code' in target) return target
  const receive = parse(query.receiveAudio ?? BLOCK)
  if (!isReceiveAudio(receive))
    return wrong(
      'value_not_allowed',
      'receiveAudio must be chunk or stream, mp3, a sample rate, and block or streaming',
    )
  const all = { ...target, receiveAudio: receive }
  return parameters.sendAudio ? { ...all, partials: partials ?? receive.mode === 'streaming' } : all
}

const BLOCK = '{"obtainVia":"chunk","codec":"mp3","sampleRate":16000,"mode":"block"}'

function wrong(error: string, description: string): ServiceErrorBody {
  return { code: 'bad_parameter', error, description }
}

function malformed(parameter: string): ServiceErrorBody {
  return wrong('language_malformed', `${parameter} must be <language>-<region>`)
}

function parse(text: string | string[]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isSendAudio(value: object | undefined): value is SendAudio {
  if (!value || !('broadcastVia' in value) || !('sampleRate' in value)) return false
  const codec = 'codec' in value ? value.codec : 'linear16'
  return value.broadcastVia === 'chunk' && codec === 'linear16' && value.sampleRate === 16_000
}

function isReceiveAudio(value: object | undefined): value is ReceiveAudio {
  if (!value || !('obtainVia' in value && 'codec' in value && 'sampleRate' in value && 'mode' in value))
    return false
  const { obtainVia, codec, sampleRate, mode } = value
  const known = mode === 'block' || mode === 'streaming'
  const via = obtainVia === 'chunk' || obtainVia === 'stream'
  return via && codec === 'mp3' && typeof sampleRate === 'number' && known
}
