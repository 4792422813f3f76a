import { AUDIO_RATES, MODES, type ReceiveAudio, type SendAudio } from '../../contract.ts'
import { oneOf, type Query, shown, single } from '../query.ts'
import { ServiceError } from '../service-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads `sendAudio` from a connection's query. Default: linear16 at 16 kHz in fragments. */
export function sendAudioOf(query: Query): SendAudio {
  const fields = jsonObject(query, 'sendAudio', ['broadcastVia', 'codec', 'sampleRate'])
  const { broadcastVia = 'chunk', codec = 'linear16', sampleRate = 16_000 } = fields
  return {
    broadcastVia: oneOf(broadcastVia, ['chunk'], 'sendAudio.broadcastVia', 'broadcast_not_supported'),
    codec: oneOf(codec, ['linear16'], 'sendAudio.codec', 'codec_not_supported'),
    sampleRate: oneOf(sampleRate, AUDIO_RATES, 'sendAudio.sampleRate', 'rate_not_supported'),
  }
}

/** Reads `receiveAudio` from a connection's query. Default: one 16 kHz mp3 per utterance. */
export function receiveAudioOf(query: Query): ReceiveAudio {
  const fields = jsonObject(query, 'receiveAudio', ['obtainVia', 'codec', 'sampleRate', 'mode'])
  const { obtainVia = 'chunk', codec = 'mp3', sampleRate = 16_000, mode = 'block' } = fields
  return {
    obtainVia: oneOf(obtainVia, ['chunk', 'stream'], 'receiveAudio.obtainVia', 'obtain_not_supported'),
    codec: oneOf(codec, ['mp3'], 'receiveAudio.codec', 'codec_not_supported'),
    sampleRate: oneOf(sampleRate, AUDIO_RATES, 'receiveAudio.sampleRate', 'rate_not_supported'),
    mode: oneOf(mode, MODES, 'receiveAudio.mode', 'mode_not_supported'),
  }
}

/**
 * Returns the parameter's JSON object, empty when absent. Rejects unknown fields, which would otherwise be ignored
 * silently.
 */
function jsonObject(query: Query, name: string, allowed: readonly string[]): Fields {
  const text = single(query, name)
  if (text === undefined) return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError(
      'not_json',
      `${name} is ${shown(text)}, allowed: a JSON object with ${allowed.join(', ')}`,
    )
  const unknown = Object.keys(value).find(key => !allowed.includes(key))
  if (unknown !== undefined)
    throw new ServiceError(
      'field_unknown',
      `${name} has the field ${shown(unknown)}, allowed: ${allowed.join(', ')}`,
    )
  return value as Fields
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
