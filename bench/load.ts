/** The other core: the participants and the scripted service in one process, so that one clock times both ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DiscordSimulator, Mp3Maker, ScriptedService } from '../src/simulator/index.ts'
import { IN_CHANNEL, IN_TURNS, type Pace, paced, TALKATIVE } from './answers.ts'
import { type Callers, CHANNELS } from './callers.ts'
import { Crowd } from './crowd.ts'
import { Members } from './members.ts'
import type { Closed, Figures, Opened, Run, Serving } from './messages.ts'
import { Pages } from './pages.ts'
import { Recorder } from './recorder.ts'
import { LOADS, voicesOf } from './voices.ts'

/** Offset between the answers of two sessions in the rhythm (ms). */
const PHASE_STEP_MS = 1_709
/** Time until the last answer has been played and its echo has died away, and time to look for missing frames (ms). */
const FADE_MS = 4_500
const CALM_MS = 1_000

const { values } = parseArgs({
  options: {
    load: { type: 'string', default: 'speech' },
    channel: { type: 'string', default: 'phone' },
    'no-end-ms': { type: 'boolean', default: false },
  },
})
const kind = LOADS.find(name => name === values.load) ?? 'speech'
const channel = CHANNELS.find(name => name === values.channel) ?? 'phone'
const { said, answer } = voicesOf(kind)
const recorder = new Recorder()
let pace: Pace | undefined
let answering = true
let sessions = 0
const discord = channel === 'discord' ? await DiscordSimulator.listen() : undefined
const service = await ScriptedService.listen({
  record: 'counts',
  shape: { times: !values['no-end-ms'] },
  answer: paced({
    mp3: (await Mp3Maker.create()).encode(answer),
    pace: () => pace,
    answering: () => answering,
    // Sessions of Discord are not told apart by their language.
    phaseMs: session => (discord ? sessions++ : recorder.indexOf(session)) * PHASE_STEP_MS,
    onAnswer: session => recorder.answered(session),
  }),
  onFragment: (session, pcm) => recorder.arrived(session, pcm),
})

process.on('message', (message: Run) => void run(message))
process.on('disconnect', () => process.exit(0))
send({
  kind: 'serving',
  url: service.url,
  discord: discord && { token: discord.token, apiUrl: discord.api, certificate: discord.certificate },
})

async function run({ port, signature, legs, rampMs, warmMs, windowMs, pairs }: Run): Promise<void> {
  pace = said && (pairs ? IN_TURNS : discord ? IN_CHANNEL : TALKATIVE)
  answering = true
  recorder.reset(legs, pairs)
  const crowd: Callers = discord
    ? new Members(discord, said)
    : channel === 'browser'
      ? new Pages(recorder, said)
      : new Crowd(recorder, said, pairs ? IN_TURNS.everyMs / 2 : undefined)
  await crowd.call(port, legs, rampMs, signature)
  await sleep(warmMs / 2)
  recorder.calm()
  await sleep(warmMs / 2)
  recorder.calibrate()
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
  const figures = { ...recorder.figures(measuredMs), legsLost: crowd.lost(), refused: crowd.refused() }
  await crowd.hangUp()
  for (const session of service.sessions.splice(0)) if (session.connected) session.drop()
  send({ kind: 'figures', ...figures })
}

function send(message: Serving | Opened | Closed | Figures): void {
  process.send?.(message)
}
