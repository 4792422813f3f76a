import { isLanguageId } from '../core/languages.ts'
import type { ConnectionParameters, ReceiveAudio, SendAudio, ServiceErrorBody } from '../service/contract.ts'

/** Reads a connection's query as a strict service does: the parameters in force, or the error that refuses them. */
export function readParameters(
  query: Readonly<Record<string, string | string[] | undefined>>,
  namespace: '/sts' | '/stt',
): ConnectionParameters | ServiceErrorBody {
  const from = query.languageIdSource
  if (from === undefined) return wrong('language_missing', 'languageIdSource is missing')
  if (typeof from !== 'string' || !isLanguageId(from)) return malformed('languageIdSource')
  const send = parse(query.sendAudio ?? '{"broadcastVia":"chunk","sampleRate":16000}')
  if (!isSendAudio(send)) return wrong('value_not_allowed', 'sendAudio must be chunk, linear16, 16000')
  const given = query.partials === undefined ? undefined : query.partials === 'true'
  const parameters = { languageIdSource: from, sendAudio: { ...send, codec: 'linear16' as const } }
  if (namespace === '/stt') return { ...parameters, partials: given ?? true }
  const to = query.languageIdTarget
  if (to === undefined) return wrong('language_missing', 'languageIdTarget is missing')
  if (typeof to !== 'string' || !isLanguageId(to)) return malformed('languageIdTarget')
  const receive = parse(query.receiveAudio ?? BLOCK)
  if (!isReceiveAudio(receive))
    return wrong(
      'value_not_allowed',
      'receiveAudio must be chunk, mp3, a sample rate, and block or streaming',
    )
  const partials = given ?? receive.mode === 'streaming'
  return { ...parameters, languageIdTarget: to, receiveAudio: receive, partials }
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
  return obtainVia === 'chunk' && codec === 'mp3' && typeof sampleRate === 'number' && known
}
