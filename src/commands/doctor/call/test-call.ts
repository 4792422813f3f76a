import { systemClock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import { type CallEnd, type Notice, placeCall, type SimulatedCall } from '../../../simulator/index.ts'
import { dbfs, rms } from '../../../transcode/level.ts'
import { Answers } from '../../answers.ts'
import { bundledSentences, LINE_RATE, lineAudio } from '../../recording.ts'

/** A call that only tries whether calls work. */
export interface TestCallOrder {
  /** Where the number's webhook would point, without the path: `https://bridge.example.com`. */
  readonly address: string
  readonly connectTo?: string | undefined
  /** Absent: nothing is signed. */
  readonly authToken?: string | undefined
  readonly from: LanguageId
  readonly to: LanguageId
  /** The number that is called: none of ours, so that no settings of a number hold. */
  readonly number: string
  /** What is said; default: a bundled sentence, in English. */
  readonly audio?: string | undefined
  /** How long the translation may take to begin, from when all was said (ms). */
  readonly patienceMs: number
}

/** What became of it, as heard at the telephone. */
export interface TestCallOutcome {
  readonly end: CallEnd
  /** Whether a media stream was open at all. */
  readonly streamed: boolean
  /** What the upgrade was answered with when it was refused; 0: nothing. */
  readonly upgradeStatus: number | undefined
  readonly problems: readonly Notice[]
  /** Time in which something was to be heard (ms), and how loud that was (dBFS). */
  readonly audibleMs: number
  readonly levelDb: number
  /** Translations that were heard to their end. */
  readonly translations: number
  /** From the end of what was said to the translation, for each stretch (ms). */
  readonly latenciesMs: readonly number[]
}

/** The shorter of the bundled sentences that says something whole. */
const SENTENCE = 4
/** Somebody who picks up a telephone does not speak in the same moment (ms). */
const BREATH_MS = 500
const QUIET_MS = 1_500
/** Softer than this is no voice. */
const AUDIBLE_DB = -50

/**
 * Calls like somebody whom Twilio puts through, says one sentence and listens. The call says what it is: a room of its own
 * and a name that shows in logs. The original voice is off, so that what is heard was said by the bridge. Never rejects for what
 * the bridge does; throws for a recording that cannot be read.
 */
export async function placeTestCall(order: TestCallOrder): Promise<TestCallOutcome> {
  const { address, connectTo, authToken, from, to, number, audio, patienceMs } = order
  const speech = await lineAudio(audio ?? (await bundledSentences())[SENTENCE] ?? '')
  const answers = new Answers(speech)
  const heardFirst = Promise.withResolvers<void>()
  const query = new URLSearchParams({
    speaks: from,
    hears: to,
    original: 'off',
    room: `doctor ${crypto.randomUUID()}`,
    name: 'Doctor (a test)',
  })
  await using phone = await placeCall({
    webhook: `${address}/twilio/voice?${query}`,
    to: number,
    allowInsecureStream: address.startsWith('http:'),
    onMark: (_now, name) => answers.marked(name),
    onMedia: (now, bytes) => {
      answers.media(now, bytes)
      heardFirst.resolve()
    },
    ...(authToken === undefined ? {} : { authToken }),
    ...(connectTo === undefined ? {} : { resolve: { [new URL(address).host]: connectTo } }),
  })
  if (phone.live && streams(phone)) {
    await pause(BREATH_MS, phone.ended)
    answers.speaking(systemClock.now())
    await phone.say(speech)
    await Promise.race([heardFirst.promise, pause(patienceMs, phone.ended)])
    await Promise.race([phone.quietFor(QUIET_MS), pause(patienceMs, phone.ended)])
  }
  const end = await phone.hangUp()
  return outcome(phone, end, answers)
}

function streams(phone: SimulatedCall): boolean {
  return phone.report().streams.some(({ end }) => end === undefined)
}

function outcome(
  phone: SimulatedCall,
  end: CallEnd,
  { translations, latenciesMs }: Answers,
): TestCallOutcome {
  const { streams, errors, warnings } = phone.report()
  const refused = streams.find(stream => stream.end?.by === 'refused')
  return {
    end,
    streamed: streams.some(stream => stream.end?.by !== 'refused'),
    upgradeStatus: refused?.end?.code,
    problems: [...errors, ...warnings],
    ...loudness(phone.heard()),
    translations,
    latenciesMs,
  }
}

/** How long something is heard, and how loud that is. */
function loudness(heard: Int16Array): { audibleMs: number; levelDb: number } {
  const step = LINE_RATE / 50
  let count = 0
  let power = 0
  for (let at = 0; at + step <= heard.length; at += step) {
    const level = rms(heard.subarray(at, at + step))
    if (dbfs(level) < AUDIBLE_DB) continue
    count++
    power += level * level
  }
  return {
    audibleMs: count * 20,
    levelDb: count === 0 ? Number.NEGATIVE_INFINITY : dbfs(Math.sqrt(power / count)),
  }
}

/** Settles after `ms`, or with `over`. */
async function pause(ms: number, over: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([late, over])
  clearTimeout(timer)
}
