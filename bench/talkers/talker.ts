import { io } from 'socket.io-client'
import type { Script } from './script.ts'

interface Result {
  readonly id: string
  readonly final: boolean
  readonly file?: { data: Uint8Array }
}

const FRAGMENT_SAMPLES = 960
const FRAGMENT_MS = 60

/** Results of one talker. */
export interface Talk {
  /** From the end of each sentence to the first byte of its mp3 (ms). */
  readonly latenciesMs: readonly number[]
  /** True if the service reported that it falls behind. */
  readonly told: boolean
}

/** Error codes of the service for a lack of capacity. */
const NO_ROOM = ['too_many_sessions', 'service_behind']

/** Speaks `script` to the service at `url` in real time; undefined without capacity for a session. */
export async function talk(
  url: string,
  key: string,
  script: Script,
  delayMs: number,
): Promise<Talk | undefined> {
  const receiveAudio = { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'streaming' }
  const socket = io(`${url}/sts`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { token: key },
    query: {
      languageIdSource: 'en-us',
      languageIdTarget: 'es-es',
      receiveAudio: JSON.stringify(receiveAudio),
    },
  })
  const refusal = await new Promise<{ error?: string } | undefined>(resolve => {
    socket.once('start', () => resolve(undefined))
    socket.once('connect_error', (error: Error & { data?: object }) => resolve(error.data ?? {}))
    socket.once('error', resolve)
  })
  if (refusal) {
    socket.disconnect()
    if (NO_ROOM.includes(refusal.error ?? '')) return undefined
    throw new Error(`refused: ${JSON.stringify(refusal)}`)
  }
  await wait(delayMs)
  const begin = performance.now()
  const firsts = new Map<string, number>()
  let told = false
  socket.on('error', ({ error }: { error?: string }) => {
    if (!['falling_behind', 'too_far_behind'].includes(error ?? '')) throw new Error(`told ${error}`)
    told = true
  })
  socket.on('result', ({ id, final, file }: Result) => {
    if (final && file && !firsts.has(id)) firsts.set(id, performance.now() - begin)
  })
  for (let at = 0; at < script.pcm.length; at += FRAGMENT_SAMPLES) {
    // A fragment can be sent when its last sample has been spoken.
    await wait(begin + (at / FRAGMENT_SAMPLES + 1) * FRAGMENT_MS - performance.now())
    const fragment = script.pcm.slice(at, at + FRAGMENT_SAMPLES)
    socket.emit('write_stream', Buffer.from(fragment.buffer), () => {})
  }
  await wait(2_500)
  socket.disconnect()
  const latenciesMs = [...firsts.values()].map(at => at - (script.ends.findLast(each => each < at) ?? 0))
  return { latenciesMs, told }
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
}
