import { type CallEnd, type Notice, placeCall, type SimulatedCall } from '../../../simulator/index.ts'
import { systemClock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import { dbfs, rms } from '../../transcode/level.ts'
import { HeardTranslations } from '../heard-translations.ts'
import { bundledSentences, LINE_RATE, lineAudio } from '../sample-audio.ts'

/** A call that only tests whether calls work. */
export interface TestCallOrder {
  /** Address of the number’s webhook without the path: `https://bridge.example.com`. */
  readonly address: string
  readonly connectTo?: string | undefined
  /** Absent: requests are not signed. */
  readonly authToken?: string | undefined
  readonly from: LanguageId
  readonly to: LanguageId
  /** The number called: not one of ours, so that no number settings apply. */
  readonly number: string
  /** Audio to play. Default: a bundled English sentence. */
  readonly audio?: string | undefined
  /** Maximum time from the end of speech until the translation starts (ms). */
  readonly patienceMs: number
}

/** Result, as received by the phone. */
export interface TestCallOutcome {
  readonly end: CallEnd
  /** True if a media stream was ever open. */
  readonly streamed: boolean
  /** Status with which the upgrade was rejected; 0: no response. */
  readonly upgradeStatus: number | undefined
  readonly problems: readonly Notice[]
  /** Duration (ms) and level (dBFS) of the audible audio. */
  readonly audibleMs: number
  readonly levelDb: number
  /** Translations played to the end. */
  readonly translations: number
  /** Time from the end of each stretch of speech to its translation (ms); `overlapping` started before such an end. */
  readonly latenciesMs: readonly number[]
  readonly overlapping: number
}

/** The shortest bundled sentence that is complete. */
const SENTENCE = 4
/** A person who answers a phone does not speak at once (ms). */
const BREATH_MS = 500
const QUIET_MS = 1_500
/** Quieter audio is not a voice. */
const AUDIBLE_DB = -50

/**
 * Places a call like Twilio, plays a sentence and listens. The call identifies itself: it has its own room and a name
 * that appears in logs. The original voice is off, so that all audio comes from the bridge. Never rejects for failures
 * of the bridge; throws for an unreadable recording.
 */
export async function placeTestCall(order: TestCallOrder): Promise<TestCallOutcome> {
  const { address, connectTo, authToken, from, to, number, audio, patienceMs } = order
  const speech = await lineAudio(audio ?? (await bundledSentences())[SENTENCE] ?? '')
  const answers = new HeardTranslations(speech)
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
    onMedia: (now, bytes, _payload, audible) => {
      if (!audible) return
      answers.media(now, bytes)
      heardFirst.resolve()
    },
    authToken,
    ...(connectTo === undefined ? {} : { resolve: { [new URL(address).host]: connectTo } }),
  })
  if (phone.live && streams(phone)) {
    await pause(BREATH_MS, phone.ended)
    answers.speaking(systemClock.now())
    await phone.say(speech)
    await Promise.race([heardFirst.promise, pause(patienceMs, phone.ended)])
    await Promise.race([phone.quietFor(QUIET_MS), pause(patienceMs, phone.ended)])
  }
  return outcome(phone, await phone.hangUp(), answers)
}

function streams(phone: SimulatedCall): boolean {
  return phone.report().streams.some(({ end }) => end === undefined)
}

function outcome(
  phone: SimulatedCall,
  end: CallEnd,
  { translations, latenciesMs, overlapping }: HeardTranslations,
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
    overlapping,
  }
}

/** Returns the duration and level of the audible audio. */
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
