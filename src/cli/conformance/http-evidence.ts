import { parseJson } from '../../common/json.ts'
import { bytesOf, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { encodeWav } from '../../transcode/wav.ts'
import type { BatchReplies, Evidence, Probe, ServerReply, VoiceReplies } from './evidence.ts'

const WRONG_KEY = 'a-key-that-nobody-has'
/** Maximum number of bytes read from a stream. */
const STREAM_HEAD_BYTES = 4_096

/** Sends one request; never rejects. `key` undefined: no key is sent. */
export async function reply(
  probe: Probe,
  path: string,
  key: string | undefined,
  form?: FormData,
): Promise<ServerReply> {
  const asked = `${form ? 'POST' : 'GET'} ${path}`
  try {
    const response = await fetch(`${probe.base}${path}`, {
      headers: key === undefined ? {} : { 'x-api-key': key },
      redirect: 'manual',
      signal: AbortSignal.timeout(form ? probe.patienceMs * 3 : probe.patienceMs),
      ...(form ? { method: 'POST', body: form } : {}),
    })
    const text = await response.text()
    return { asked, status: response.status, body: parseJson(text) }
  } catch {
    return { asked, status: 0, body: undefined }
  }
}

export async function voiceReplies(probe: Probe): Promise<VoiceReplies> {
  const { source, target, apiKey } = probe
  const get = (query: string) => reply(probe, `/api/voices${query}`, apiKey)
  const of = (language: string, filter = '') => get(`?language=${language}${filter}`)
  const combinations: ServerReply[] = []
  for (const gender of ['M', 'F'])
    for (const mode of ['block', 'streaming'])
      for (const engine of ['neural', 'standard'])
        combinations.push(await of(target, `&voiceGender=${gender}&mode=${mode}&voiceEngine=${engine}`))
  return {
    all: await get(''),
    target: await of(target),
    source: await of(source),
    block: await of(target, '&mode=block'),
    male: await of(target, '&voiceGender=M'),
    female: await of(target, '&voiceGender=F'),
    neural: await of(target, '&voiceEngine=neural'),
    standard: await of(target, '&voiceEngine=standard'),
    both: await of(target, '&voiceEngine=neural&voiceEngine=standard'),
    bothTurned: await of(target, '&voiceEngine=standard&voiceEngine=neural'),
    combinations,
  }
}

export async function batchReplies(probe: Probe): Promise<BatchReplies> {
  const wav = encodeWav(probe.pcm, SAMPLE_RATE)
  const languages = { languageIdSource: probe.source, languageIdTarget: probe.target }
  const post = (form: FormData) => reply(probe, '/api/batch/file', probe.apiKey, form)
  return {
    stt: await post(batchForm('stt', wav, { languageIdSource: probe.source })),
    sts: await post(batchForm('sts', wav, languages)),
    garbage: await post(
      batchForm('stt', bytesOf(Int16Array.from({ length: 500 }, (_, n) => (n * 7_919) % 251)), languages),
    ),
  }
}

/** Calls every operation without a key, and one with a wrong key: services block an address after about ten of them. */
export async function refusedReplies(probe: Probe): Promise<Pick<Evidence, 'keyless' | 'wrongKey'>> {
  const wav = encodeWav(probe.pcm.subarray(0, SAMPLE_RATE / 10), SAMPLE_RATE)
  const form = batchForm('stt', wav, { languageIdSource: probe.source })
  return {
    keyless: [
      await reply(probe, '/api/languages', undefined),
      await reply(probe, '/api/voices', undefined),
      await reply(probe, '/api/batch/file', undefined, form),
    ],
    wrongKey: [await reply(probe, '/api/languages', WRONG_KEY)],
  }
}

/** Returns the first bytes served at `url`; undefined if it is not on the service’s own origin. */
export async function streamHead(probe: Probe, url: unknown): Promise<Evidence['stream']> {
  const address = typeof url === 'string' ? URL.parse(url, `${probe.base}/`) : null
  if (address?.origin !== new URL(probe.base).origin) return undefined
  const head: Uint8Array[] = []
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(probe.patienceMs),
    })
    let bytes = 0
    try {
      for await (const piece of response.body ?? []) {
        head.push(piece)
        bytes += piece.length
        if (bytes >= STREAM_HEAD_BYTES) break
      }
    } catch {
      // The bytes received so far count.
    }
    return { status: response.status, head: Buffer.concat(head) }
  } catch {
    return { status: 0, head: new Uint8Array(0) }
  }
}

function batchForm(mode: string, file: Uint8Array, more: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  form.set('mode', mode)
  for (const [name, value] of Object.entries(more)) form.set(name, value)
  form.set('file', new Blob([Uint8Array.from(file)], { type: 'audio/wav' }), 'speech.wav')
  return form
}
