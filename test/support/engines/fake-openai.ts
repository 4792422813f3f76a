import { createMp3 } from '../../../src/transcode/mp3/encoder.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { mono, readWav, wavHeader } from '../../../src/transcode/wav.ts'
import { sine } from '../transcode/tone.ts'
import { FaultServer } from './fault-server.ts'

/** Streaming format of a transcript. */
export type Dialect = 'none' | 'openai' | 'speaches' | 'chat'

/** The words that it recognizes, by the pitch of the tone. */
const WORDS = [
  [400, 'one'],
  [500, 'two'],
] as const

/** A server with an OpenAI-compatible interface that recognizes and speaks tones and translates a few words. */
export class FakeOpenAi extends FaultServer {
  dialect: Dialect = 'none'
  /** Segments of the next `verbose_json` responses, in addition to their text. */
  segments: readonly object[] | undefined
  /** Response of the chat; undefined: the translation. */
  chatter: ((translation: string) => unknown) | undefined
  /** Parameters that its models reject, and the detail of the error. */
  rejects: readonly string[] = []
  rejection: 'param' | 'message' | 'nothing' = 'param'
  /** Actual format of the speech. */
  speechType: string | undefined

  constructor() {
    super()
    this.app.post('/v1/audio/transcriptions', async (request, reply) => {
      const form = request.body as FormData
      const rejected = this.#rejected(Object.fromEntries(form.entries())) ?? invalidTranscription(form)
      if (rejected) return reply.status(400).send(rejected)
      const text = heard(new Uint8Array(await (form.get('file') as File).arrayBuffer()))
      if (form.get('stream') === 'true' && this.dialect !== 'none')
        return reply.type('text/event-stream').send(streamed(this.dialect, text))
      if (form.get('response_format') === 'json') return { text, usage: { type: 'duration', seconds: 1 } }
      const segments = this.segments ?? [
        { id: 0, text: ` ${text}`, no_speech_prob: 0.01, avg_logprob: -0.2, compression_ratio: 1 },
      ]
      return { task: 'transcribe', language: 'english', duration: 1, text, words: null, segments }
    })
    this.app.post('/v1/audio/speech', async (request, reply) => {
      const { input, response_format: format } = request.body as { input: string; response_format: string }
      const pcm = sine(440, input.length * 40, 8_000, 24_000)
      if (format === 'wav') return reply.type(this.speechType ?? 'audio/wav').send(streamedWav(pcm))
      if (format === 'pcm') return reply.type(this.speechType ?? 'audio/pcm').send(Buffer.from(bytesOf(pcm)))
      const encoder = await createMp3(24_000, 24_000)
      const mp3 = Buffer.concat([encoder.encode(pcm), encoder.finish()])
      return reply.type(this.speechType ?? 'audio/mpeg').send(mp3)
    })
    this.app.post('/v1/chat/completions', async (request, reply) => {
      const rejected = this.#rejected(request.body as Record<string, unknown>)
      if (rejected) return reply.status(400).send(rejected)
      const { messages } = request.body as { messages: { content: string }[] }
      const said = messages.at(-1)!.content.replace(/<\/?said>/g, '')
      const content = this.chatter ? this.chatter(inSpanish(said)) : inSpanish(said)
      return { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
    })
  }

  /** The error for the first parameter that is not accepted; `name=value` rejects one value only. */
  #rejected(parameters: Readonly<Record<string, unknown>>): object | undefined {
    const found = this.rejects.find(rule => {
      const [name = '', value] = rule.split('=')
      return name in parameters && (value === undefined || String(parameters[name]) === value)
    })
    if (found === undefined) return undefined
    const [param = ''] = found.split('=')
    if (this.rejection === 'nothing') return { detail: 'Bad Request' }
    const message = `Unsupported parameter: '${param}' is not supported with this model. Use 'max_completion_tokens' instead.`
    if (this.rejection === 'message') return { error: { message, type: 'invalid_request_error' } }
    return { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }
  }
}

/** What the models reject that have lists of languages and keywords, and the others. */
function invalidTranscription(form: FormData): object | undefined {
  const lists = String(form.get('model')).startsWith('gpt-transcribe')
  const wrong = lists ? ['language'] : ['languages[]', 'keywords[]']
  const param = wrong.find(name => form.has(name))
  const keyword = form.getAll('keywords[]').find(each => /[<>\r\n]/.test(String(each)))
  if (param === undefined && keyword === undefined) return undefined
  return { error: { type: 'invalid_request_error', param: param ?? 'keywords', code: 'invalid_value' } }
}

/** A translation word by word. */
export function inSpanish(text: string): string {
  const words: Record<string, string> = { house: 'casa', dog: 'perro', the: 'la', a: 'un', small: 'pequeña' }
  return text.replace(/[a-z]+/gi, word => words[word.toLowerCase()] ?? word)
}

/** As ffmpeg writes to a pipe: a chunk before the samples, and unknown sizes. */
export function streamedWav(pcm: Int16Array, rate = 24_000): Buffer {
  const header = Buffer.from(wavHeader(rate, 1, Number.POSITIVE_INFINITY))
  const list = Buffer.from('LIST\x04\0\0\0INFO', 'latin1')
  return Buffer.concat([header.subarray(0, 36), list, header.subarray(36), bytesOf(pcm)])
}

function heard(file: Uint8Array): string {
  const wav = readWav(file)
  const pcm = mono(wav)
  const loud = (hz: number) => {
    let [re, im] = [0, 0]
    for (const [n, sample] of pcm.entries()) {
      re += sample * Math.cos((2 * Math.PI * hz * n) / wav.rate)
      im += sample * Math.sin((2 * Math.PI * hz * n) / wav.rate)
    }
    return Math.hypot(re, im)
  }
  return WORDS.toSorted(([a], [b]) => loud(b) - loud(a))[0]![1]
}

function streamed(dialect: Dialect, text: string): string {
  const events: unknown[] = {
    none: [],
    openai: [
      { type: 'transcript.text.delta', delta: text.slice(0, 2) },
      { type: 'transcript.text.delta', delta: text.slice(2) },
      { type: 'transcript.text.done', text },
    ],
    speaches: [{ text }],
    chat: [
      { choices: [{ delta: { content: text.slice(0, 1) } }] },
      { choices: [{ delta: { content: text.slice(1) } }] },
    ],
  }[dialect]
  const lines = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return dialect === 'chat' ? `${lines}data: [DONE]\n\n` : lines
}
