/** A point of the lag's curve stands for this time (ms): of the seconds in it, the worst. */
export const LAG_STEP_MS = 5_000
/** Points of it that are kept: five minutes. */
export const LAG_POINTS = 60
/** Events, utterances and quantiles that are kept for the page. */
export const EVENTS_KEPT = 200
export const UTTERANCES_KEPT = 40
export const QUANTILES_KEPT = 90
/** Samples a second of what a simulated phone hears. */
export const SOUND_RATE = 8_000
