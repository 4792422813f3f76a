import { Histogram } from '../../common/histogram.ts'
import { STAGES, type Stage } from './latency-stages.ts'

/** Counters and gauges of the relay, as plain fields for exporters. */
export class RelayCounters {
  legsAdmitted = 0
  legsEnded = 0
  legsRejected = 0
  /** 20 ms frames from participants. */
  framesIn = 0
  /** … of these, replaced by silence for the service because they contained a DTMF tone. */
  dtmfFramesMasked = 0
  /** … of these, replaced by silence for the service because they were echo. */
  echoFramesMasked = 0
  /** Utterances whose text was recognized as echo. */
  utterancesEchoed = 0
  /** 20 ms frames to participants. */
  framesOut = 0
  sessionsOpened = 0
  sessionsEnded = 0
  /** Session connections that were lost or could not be opened. */
  sessionsDropped = 0
  /** Connections replaced while still in use: before they expired, or by a preferred service. */
  sessionsRenewed = 0
  /** Connections that probed a service while its circuit breaker was open. */
  probes = 0
  /** Sessions waiting for a service, and sessions on a fallback (gauges, once per second). */
  sessionsWaitingNow = 0
  sessionsOnFallbackNow = 0
  fragmentsSent = 0
  fragmentsReplayed = 0
  /** Audio dropped from the replay buffer before the service accepted it (ms). */
  lostMs = 0
  utterances = 0
  utterancesHeard = 0
  utterancesDropped = 0
  /** Utterances with text but no voice, although one was requested. */
  utterancesVoiceless = 0
  /** Buffer underruns within an utterance. */
  starved = 0
  /** Frames of original voices dropped to keep them close to live. */
  originalFramesDropped = 0
  /** Frames not sent because the peer reads too slowly. */
  congestedFrames = 0
  /** Exceptions that affected only one leg, session, utterance or observer. */
  faultsContained = 0
  /** Bytes of voices that were not audio, or did not fit. */
  mp3InvalidBytes = 0
  /** Time saved by trimming pauses of late translations, over all listeners (ms). */
  pausesTrimmedMs = 0
  /** Time saved by playing them faster than spoken (ms). */
  timeCompressedMs = 0
  /** Current maximum lag of a translation, and number of late translations over all listeners (gauges, once per second). */
  lagNowMs = 0
  lateNow = 0
  /** Lag of each playing translation, once per second and listener (ms). */
  readonly lagMs = new Histogram()
  /** Time from the end of speech to the first translated frame (ms): the most important figure of this product. */
  readonly speechToTranslationMs = new Histogram()
  /** … and its parts by stage (ms). */
  readonly stagesMs: Readonly<Record<Stage, Histogram>> = byStage()
  /** Ear–voice span, from a word to the confirmed playout of its translation (ms), by language pair; see `earVoiceSpan`. */
  readonly earVoiceSpansMs = new Map<
    string,
    { readonly pair: readonly [string, string]; readonly spans: Histogram }
  >()
  /** Lateness of the relay's own tick (ms). */
  readonly tickLateMs = new Histogram()

  /** Returns the ear–voice spans of a language pair (ms). Above a number of pairs, all others share one. */
  earVoiceSpan(languages: readonly [from: string, to: string] = ['other', 'other']): Histogram {
    const pair = this.earVoiceSpansMs.size < MOST_PAIRS ? languages : (['other', 'other'] as const)
    const known = this.earVoiceSpansMs.get(languages.join(' ')) ?? this.earVoiceSpansMs.get(pair.join(' '))
    if (known) return known.spans
    const spans = new Histogram()
    this.earVoiceSpansMs.set(pair.join(' '), { pair, spans })
    return spans
  }
}

/** Language pairs with a histogram of their own. */
const MOST_PAIRS = 64

function byStage(): Record<Stage, Histogram> {
  return Object.fromEntries(STAGES.map(stage => [stage, new Histogram()])) as Record<Stage, Histogram>
}
