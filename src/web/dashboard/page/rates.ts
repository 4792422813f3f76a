/** Interval of a point in the lag curve (ms); its value is the maximum. */
export const LAG_STEP_MS = 5_000
/** Number of points kept: five minutes. */
export const LAG_POINTS = 60
/** Number of events, utterances and percentiles kept for the page. */
export const EVENTS_KEPT = 200
export const UTTERANCES_KEPT = 40
export const QUANTILES_KEPT = 90
/** Sample rate of the audio that a simulated phone hears. */
export const SOUND_RATE = 8_000
