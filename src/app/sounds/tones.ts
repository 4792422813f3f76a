import type { Sound, ToneName } from '../../core/model/announcer.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'

/** Phone networks whose tones are available. */
export const TONE_PLANS = ['us', 'eu', 'uk'] as const
export type TonePlan = (typeof TONE_PLANS)[number]

/** Amplitude of each sine (peak, −21 dBFS): two of them stay well below speech. */
const AMPLITUDE = 2_900
/** Ramp at the edges of each beat, which prevents clicks (samples). */
const RAMP = 160

/** Simultaneous sines for `on` ms, then silence for `off` ms. */
interface Beat {
  readonly hz: readonly number[]
  readonly on: number
  readonly off: number
}

interface Pattern {
  readonly beats: readonly Beat[]
  readonly loop: boolean
}

/** Ringing and busy tones of ITU-T E.180 for the United States, most of Europe and the United Kingdom. */
const PLANS: Readonly<Record<TonePlan, Readonly<Record<'ringback' | 'busy', readonly Beat[]>>>> = {
  us: {
    ringback: [{ hz: [440, 480], on: 2_000, off: 4_000 }],
    busy: [{ hz: [480, 620], on: 500, off: 500 }],
  },
  eu: {
    ringback: [{ hz: [425], on: 1_000, off: 4_000 }],
    busy: [{ hz: [425], on: 500, off: 500 }],
  },
  uk: {
    ringback: [
      { hz: [400, 450], on: 400, off: 200 },
      { hz: [400, 450], on: 400, off: 2_000 },
    ],
    busy: [{ hz: [400], on: 375, off: 375 }],
  },
}

/** The same in all plans: one beep; two falling notes for an outage of the translation. */
const OWN: Readonly<Record<'beep' | 'unavailable', readonly Beat[]>> = {
  beep: [{ hz: [880], on: 200, off: 100 }],
  unavailable: [
    { hz: [660], on: 160, off: 60 },
    { hz: [495], on: 240, off: 120 },
  ],
}

/** Returns the tone `name` of `plan`. Ringing repeats until it is stopped; all other tones end. */
export function toneSound(name: ToneName, plan: TonePlan): Sound {
  const { beats, loop } = patternOf(name, plan)
  return { name: `tone ${name}`, pcm: rendered(beats), ...(loop ? { loop } : {}) }
}

function patternOf(name: ToneName, plan: TonePlan): Pattern {
  switch (name) {
    case 'ringback':
      return { beats: PLANS[plan].ringback, loop: true }
    case 'busy':
      // Just long enough to be recognized.
      return { beats: Array.from({ length: 4 }, () => PLANS[plan].busy).flat(), loop: false }
    default:
      return { beats: OWN[name], loop: false }
  }
}

function rendered(beats: readonly Beat[]): Int16Array {
  const samples = (ms: number) => (ms * SAMPLE_RATE) / 1000
  const pcm = new Int16Array(beats.reduce((sum, { on, off }) => sum + samples(on + off), 0))
  let from = 0
  for (const { hz, on, off } of beats) {
    const length = samples(on)
    for (let n = 0; n < length; n++) {
      const edge = Math.min(1, n / RAMP, (length - 1 - n) / RAMP)
      let sum = 0
      for (const each of hz) sum += Math.sin((2 * Math.PI * each * n) / SAMPLE_RATE)
      pcm[from + n] = Math.round(sum * AMPLITUDE * edge)
    }
    from += length + samples(off)
  }
  return pcm
}
