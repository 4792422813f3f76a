import { isLanguageId } from '../core/languages.ts'
import type { ConnectionParameters, ReceiveAudio, SendAudio, ServiceErrorBody } from '../service/contract.ts'

/** Reads a connection's query as a strict service does: the parameters in force, or the error that refuses them. */
export function readParameters(
  query: Readonly<Record<string, string | string[] | undefined>>,
  namespace: '/sts' | '/stt',
): ConnectionParameters | ServiceErrorBody {
  const from = query.languageIdSource
  if (typeof from !== 'string' || !isLanguageId(from))
    return wrong('languageIdSource', 'a language identifier')
  const send = parse(query.sendAudio ?? '{"broadcastVia":"chunk","sampleRate":16000}')
  if (!isSendAudio(send)) return wrong('sendAudio', 'chunk, linear16, 16000')
  const parameters: ConnectionParameters = {
    languageIdSource: from,
    sendAudio: { ...send, codec: 'linear16' },
    partials: query.partials === 'true',
  }
  if (namespace === '/stt') return parameters
  const to = query.languageIdTarget
  if (typeof to !== 'string' || !isLanguageId(to)) return wrong('languageIdTarget', 'a language identifier')
  const receive = parse(
    query.receiveAudio ?? '{"obtainVia":"chunk","codec":"mp3","sampleRate":16000,"mode":"block"}',
  )
  if (!isReceiveAudio(receive)) return wrong('receiveAudio', 'chunk, mp3, a sample rate, block or streaming')
  return { ...parameters, languageIdTarget: to, receiveAudio: receive }
}

function wrong(parameter: string, allowed: string): ServiceErrorBody {
  return { code: 'bad_parameter', error: parameter, description: `${parameter} must be ${allowed}` }
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
