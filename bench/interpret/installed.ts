import { systemClock } from '../../src/common/clock.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../src/service/client/translator.ts'
import type { CommitMode } from '../../src/service/engines/interpret/clause-committer.ts'
import { buildService } from '../../src/service/server/service.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { speech } from '../speech.ts'
import { median } from '../stats.ts'
import { ListeningLeg } from './listening-leg.ts'

const AFTER_MS = 12_000

/** How the installed engines do in real time (s). */
export interface InstalledFigures {
  /** From the middle of what was said to the first sound of its translation. */
  readonly spanP50: number
  readonly spanMost: number
  /** From the start of the speech to the first sound of its translation. */
  readonly first: number
  /** From the end of the speech to the end of its translation. */
  readonly last: number
  readonly translations: readonly string[]
}

/** Plays the bundled recordings without pauses in real time through the bridge and a served embedded service. */
export async function playInstalled(mode: CommitMode): Promise<InstalledFigures> {
  const service = await buildService({ apiKeys: ['bench'], simultaneous: { mode } })
  const { url } = await service.listen()
  const translator = new ServiceTranslator({ url, apiKey: 'bench', mode: 'streaming' })
  const relay = new Relay({ translator, options: relayOptions(), clock: systemClock })
  await relay.ready()
  const now = () => systemClock.now()
  const spans: number[] = []
  const spoken = new Map<string, number>()
  const translations: string[] = []
  let firstAt: number | undefined
  let lastAt = 0
  relay.observer.on('caption', ({ final, utterance, spoken: stretch, translation }) => {
    if (!final || !translation) return
    translations.push(translation)
    if (stretch) spoken.set(utterance, (stretch.fromMs + stretch.toMs) / 2)
  })
  relay.observer.on('earVoice', ({ spanMs }) => void spans.push(spanMs))
  relay.observer.on('utterance', ({ stage, utterance }) => {
    const said = spoken.get(utterance)
    if (stage === 'begun' && mode === 'utterance' && said !== undefined) spans.push(now() - said)
  })
  const speaker = new ListeningLeg('anna', now, () => {})
  const listener = new ListeningLeg('bob', now, (frame, atMs) => {
    if (!frame.some(sample => Math.abs(sample) > 500)) return
    firstAt ??= atMs
    lastAt = Math.max(lastAt, atMs)
  })
  relay.admit(speaker, { room: 'call', speaks: 'en-us', hears: 'en-us', original: 'off' })
  relay.admit(listener, { room: 'call', speaks: 'es-es', hears: 'es-es', original: 'off' })
  const pcm = speech()
  const lengthMs = (pcm.length / FRAME_SAMPLES) * FRAME_MS
  // The engines start with the first words, as in any call.
  const begin = now()
  for (let index = 0; index * FRAME_MS < lengthMs + AFTER_MS; index++) {
    const frame = new Int16Array(FRAME_SAMPLES)
    frame.set(pcm.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES))
    speaker.uplink?.write(frame)
    listener.uplink?.write(new Int16Array(FRAME_SAMPLES))
    speaker.confirm()
    listener.confirm()
    const due = begin + (index + 1) * FRAME_MS
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - now())))
  }
  await relay.close()
  await translator.close()
  await service.close()
  return {
    spanP50: median(spans) / 1_000,
    spanMost: Math.max(...spans) / 1_000,
    first: ((firstAt ?? Number.NaN) - begin) / 1_000,
    last: (lastAt - begin - lengthMs) / 1_000,
    translations,
  }
}
