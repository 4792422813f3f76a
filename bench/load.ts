/** The other core: the phones and the scripted service in one process, so that one clock times both ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { canned, Mp3Maker, ScriptedService } from '../src/simulator/index.ts'
import { Crowd } from './crowd.ts'
import type { Closed, Figures, Opened, Run, Serving } from './messages.ts'
import { Recorder } from './recorder.ts'
import { sentence, speech } from './speech.ts'

/** An answer of 2.2 s for every 2.5 s: continuous talk in which each start of sound is detectable. */
const ANSWER_MS = 2_200
const EVERY_MS = 2_500
/** In a call of two each talks half of the time. */
const EVERY_IN_PAIRS_MS = 5_000
const CALM_MS = 1_000

const recorder = new Recorder()
let everyMs = EVERY_MS
const pcm = speech()
const mp3 = (await Mp3Maker.create()).encode(sentence(pcm, ANSWER_MS))
const service = await ScriptedService.listen({
  record: 'counts',
  answer: canned({
    mp3,
    get everyMs() {
      return everyMs
    },
    firstMs: session => everyMs + ((recorder.indexOf(session) * 97) % everyMs),
    onAnswer: session => recorder.answered(session),
  }),
  onFragment: session => recorder.arrived(session),
})

process.on('message', (message: Run) => void run(message))
process.on('disconnect', () => process.exit(0))
send({ kind: 'serving', url: service.url })

async function run({ port, legs, rampMs, warmMs, windowMs, pairs }: Run): Promise<void> {
  everyMs = pairs ? EVERY_IN_PAIRS_MS : EVERY_MS
  recorder.reset(legs, pairs)
  const crowd = new Crowd(recorder, pcm, pairs ? everyMs / 2 : undefined)
  await crowd.call(`http://127.0.0.1:${port}/twilio/voice`, legs, rampMs)
  await sleep(warmMs / 2)
  recorder.calm()
  await sleep(warmMs / 2)
  recorder.calibrate()
  recorder.open = true
  send({ kind: 'opened' })
  const began = performance.now()
  await sleep(windowMs)
  const measuredMs = performance.now() - began
  recorder.calm()
  send({ kind: 'closed', windowMs: measuredMs })
  await sleep(CALM_MS)
  const figures = { ...recorder.figures(measuredMs), legsLost: crowd.lost(), refused: crowd.refused() }
  await crowd.hangUp()
  for (const session of service.sessions.splice(0)) if (session.connected) session.drop()
  send({ kind: 'figures', ...figures })
}

function send(message: Serving | Opened | Closed | Figures): void {
  process.send?.(message)
}
