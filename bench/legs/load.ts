/** The phones and the scripted service of one subject, in one process, so that one clock times both ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Mp3Maker, ScriptedService } from '../../simulator/index.ts'
import { paced } from './answers.ts'
import { Phones } from './phones.ts'
import { type Figures, Recorder } from './recorder.ts'
import type { Signature } from './served.ts'
import { LOADS, voicesOf } from './voices.ts'

/** Offset between the answers of two sessions in the rhythm (ms). */
const PHASE_STEP_MS = 1_709
/** Time until the last answer has been played and its echo has died away, and time to look for missing frames (ms). */
const FADE_MS = 4_500
const CALM_MS = 1_000

/** First message to the bench: the service accepts connections at this address. */
export interface Serving {
  kind: 'serving'
  url: string
}

/** From the bench: place calls, warm up, measure one window, hang up. */
export interface Run {
  /** Port of the subject. */
  port: number
  /** Signs the calls; without it they are unsigned. */
  signature: Signature | undefined
  legs: number
  rampMs: number
  warmMs: number
  windowMs: number
}

/** The window opens: CPU times are read now … */
export interface Opened {
  kind: 'opened'
}

/** … and now, when the window is over and everyone still talks. */
export interface Closed {
  kind: 'closed'
  windowMs: number
}

/** After all calls ended. */
export interface Finished {
  kind: 'finished'
  figures: Figures
}

const { values } = parseArgs({ options: { load: { type: 'string', default: 'speech' } } })
const { said, answer } = voicesOf(LOADS.find(name => name === values.load) ?? 'speech')
const recorder = new Recorder()
let answering = true
const service = await ScriptedService.listen({
  answer: paced({
    mp3: (await Mp3Maker.create()).encode(answer),
    answering: () => answering && said !== undefined,
    phaseMs: session => recorder.indexOf(session) * PHASE_STEP_MS,
    onAnswer: session => recorder.answered(session),
  }),
  onFragment: (session, pcm) => recorder.arrived(session, pcm),
})

process.on('message', (message: Run) => void run(message))
process.on('disconnect', () => process.exit(0))
send({ kind: 'serving', url: service.url })

async function run({ port, signature, legs, rampMs, warmMs, windowMs }: Run): Promise<void> {
  answering = true
  recorder.reset(legs)
  const phones = new Phones(recorder, said)
  await phones.call(port, legs, rampMs, signature)
  await sleep(warmMs)
  recorder.open = true
  send({ kind: 'opened' })
  const began = performance.now()
  await sleep(windowMs)
  const measuredMs = performance.now() - began
  recorder.open = false
  send({ kind: 'closed', windowMs: measuredMs })
  // Frames that wait at the echo gate are not missing.
  answering = false
  await sleep(FADE_MS)
  recorder.calm()
  await sleep(CALM_MS)
  const figures = { ...recorder.figures(measuredMs), legsLost: phones.lost() }
  await phones.hangUp()
  for (const session of service.sessions.splice(0)) if (session.connected) session.drop()
  send({ kind: 'finished', figures })
}

function send(message: Serving | Opened | Closed | Finished): void {
  process.send?.(message)
}
