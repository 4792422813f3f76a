import type {
  InterpretationSink,
  InterpretedText,
  Transcript,
} from '../../../../src/service/engines/engine.ts'

/** Collects the results of a stream. */
export function collected() {
  const finals: (Transcript | InterpretedText)[] = []
  const partials: (Transcript | InterpretedText)[] = []
  const failure = Promise.withResolvers<Error>()
  const spoken = new Map<number, Int16Array[]>()
  let rate = 0
  const sink = {
    partial: (result: Transcript | InterpretedText) => void partials.push(result),
    audio: (utterance: number, pcm: Int16Array, hz: number) => {
      rate = hz
      spoken.set(utterance, [...(spoken.get(utterance) ?? []), pcm])
    },
    final: (result: Transcript | InterpretedText) => void finals.push(result),
    failed: (error: Error) => failure.resolve(error),
  } satisfies InterpretationSink
  /** The words of all finals. */
  const words = () => finals.flatMap(({ text }) => text.toLowerCase().match(/\p{L}+/gu) ?? [])
  return { sink, finals, partials, spoken, rate: () => rate, failed: failure.promise, words }
}

/** Writes `pcm` (16 kHz) as a caller does, in real time. */
export async function live(write: (pcm: Int16Array) => void, pcm: Int16Array): Promise<void> {
  const begin = performance.now()
  for (let at = 0; at < pcm.length; at += 320) {
    const wait = begin + at / 16 - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    write(pcm.subarray(at, at + 320))
  }
}

/** Waits until `met`; throws after `ms`. */
export async function until(met: () => boolean, what: string, ms = 15_000): Promise<void> {
  const end = performance.now() + ms
  while (!met()) {
    if (performance.now() > end) throw new Error(`no ${what} within ${ms} ms`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
