import { mkdir } from 'node:fs/promises'
import { TwilioSimulator } from '../../../simulator/index.ts'
import { toLine } from '../../../simulator/twilio/phone/voice.ts'
import { type App, buildApp } from '../../app/app.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { LiveView } from '../call/live-view.ts'
import { bundledSentences, lineAudio, withPauses } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import type { Said } from './results.ts'
import {
  ConversationLog,
  type PhoneResults,
  report,
  resultOf,
  type TwoPhonesResult,
  write,
} from './results.ts'
import { CALLEE, CALLER, DESK, DIALOGUE, ScriptedRecognizer, type ScriptLine } from './scripts.ts'
import { BREATH_MS, noticesHeard, translationHeard } from './turn-taking.ts'

/** Public URL of the bridge for the simulated Twilio, which signs it. */
const PUBLIC_URL = 'https://bridge.example.com'
/** Ringing time before Ana answers (ms). */
const ANSWER_MS = 1_500
/** Maximum wait for the notices at the start of the call (ms). */
const NOTICES_MS = 20_000
/** Silence that ends an utterance; longer than the pauses within a line (ms). */
const PAUSE_MS = 600

export interface TwoPhonesOptions {
  /** Output folder. */
  readonly output: string
  readonly json?: boolean | undefined
  /** Lines to speak. Default: the whole dialogue. */
  readonly lines?: readonly ScriptLine[]
}

/**
 * Runs a call between two people with two languages on this machine: one phone calls a number, the bridge calls the
 * other one with Twilio's client through a simulator of its API. Returns the exit code.
 */
export async function twoPhones(options: TwoPhonesOptions, terminal: Terminal, log: Logger): Promise<number> {
  const { lines = DIALOGUE, output } = options
  // Checked first, so that an unwritable folder fails before the engines start.
  await mkdir(output, { recursive: true })
  terminal.line('Starting the translation service, the bridge and a simulated Twilio …')
  await using twilio = await TwilioSimulator.listen({
    numbers: {
      [DESK]: { VoiceUrl: `${PUBLIC_URL}/twilio/voice`, StatusCallback: `${PUBLIC_URL}/twilio/status` },
    },
    timeoutMarginMs: 5_000,
  })
  await using recognizer = await ScriptedRecognizer.listen(
    lines.flatMap(({ by, text }) => (by === 'callee' ? text : [])),
  )
  await using app = await buildApp(settings(twilio, recognizer), { log })
  const address = await app.listen()
  twilio.route(PUBLIC_URL, address)
  introduce(address, twilio, terminal)
  const speeches = await Promise.all(lines.map(line => speechOf(app, line)))
  const result = await converse(app, twilio, speeches, output, terminal)
  if (options.json) process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
  else report(result, terminal)
  return result.ok ? 0 : 1
}

function settings(twilio: TwilioSimulator, recognizer: ScriptedRecognizer): Parameters<typeof buildApp>[0] {
  const scripted = {
    engine: 'openai',
    url: recognizer.url,
    model: 'script',
    languages: [CALLEE.language],
  } as const
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: PUBLIC_URL,
    service: {},
    embedded: { engines: { transcription: [{ ...scripted, pauseMs: PAUSE_MS }] } },
    languages: { speaks: CALLER.language, hears: CALLEE.language },
    twilio: {
      authToken: [twilio.authToken],
      outbound: { accountSid: twilio.accountSid, apiUrl: twilio.url, from: DESK, allowedPrefixes: ['+34'] },
      numbers: {
        [DESK]: {
          ...{ speaks: CALLER.language, hears: CALLER.language, name: CALLER.name },
          dial: {
            ...{ to: CALLEE.number, speaks: CALLEE.language, hears: CALLEE.language, name: CALLEE.name },
          },
        },
      },
    },
  }
}

function introduce(address: string, twilio: TwilioSimulator, terminal: Terminal): void {
  terminal.line(
    `Bridge on ${address}; Twilio’s API on ${twilio.url}, used by Twilio’s own client, every request signed.`,
  )
  terminal.line(`${CALLER.name} speaks ${CALLER.language} (real recordings) and calls ${DESK}.`)
  terminal.line(`The bridge then calls ${CALLEE.name}, who speaks ${CALLEE.language} (a synthesised voice).`)
  terminal.line(
    `NOTE: no engine here recognizes ${CALLEE.language}. ${CALLEE.name}’s speech is detected, but its words come from`,
  )
  terminal.line(
    'the script when each utterance ends. The recognition of English, both translations and voices are real.',
  )
}

/** Speech to play, at the sampling rate of the phone. */
interface Speech {
  readonly by: ScriptLine['by']
  readonly pcm: Int16Array
}

async function speechOf(app: App, { by, recording, text }: ScriptLine): Promise<Speech> {
  if (recording !== undefined)
    return { by, pcm: await lineAudio((await bundledSentences())[recording - 1] ?? '') }
  const { pcm } = await app.announcer.say(text, CALLEE.language, CALLEE.language)
  return { by, pcm: toLine(pcm, SAMPLE_RATE) }
}

async function converse(
  app: App,
  twilio: TwilioSimulator,
  speeches: readonly Speech[],
  output: string,
  terminal: Terminal,
): Promise<TwoPhonesResult> {
  using minutes = new ConversationLog(app, [CALLEE.language])
  minutes.start()
  using view = new LiveView(app.relay, terminal)
  view.start()
  const ready = noticesHeard(app, ['incoming', 'connected'], NOTICES_MS)
  const ana = twilio.subscriber(CALLEE.number, { answerAfterMs: ANSWER_MS })
  const caller = await twilio.subscriber(CALLER.number).dial(DESK)
  terminal.line(`${CALLER.name} hears the ringing tone …`)
  const callee = await Promise.race([ana.call(1), caller.ended])
  if (!('say' in callee))
    throw new BridgeError('DIAL_FAILED', `the call ended before it was answered: ${callee.reason}`)
  terminal.line(`${CALLEE.name} answers. Both hear a notice that the call is interpreted.`)
  await ready
  const phones: PhoneResults = { caller, callee }
  const said: Record<ScriptLine['by'], Said[]> = { caller: [], callee: [] }
  for (const { by, pcm } of speeches) {
    const saying = phones[by].say(withPauses([pcm], BREATH_MS))
    void saying.then(({ startedAt }) => startedAt !== undefined && said[by].push({ atMs: startedAt, pcm }))
    await translationHeard(app, saying)
  }
  terminal.line(`${CALLEE.name} hangs up; ${CALLER.name} hears a notice.`)
  await callee.hangUp()
  await caller.ended
  const files = await write(phones, said, minutes, output)
  return resultOf(phones, minutes, files, speeches.length)
}
