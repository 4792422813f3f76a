import type { Element } from './xml.ts'

export type Method = 'GET' | 'POST'

/** What could not be followed: the code Twilio would log, after which the next verb runs. */
export interface FaultyVerb {
  readonly verb: 'Faulty'
  readonly code: number
  readonly why: string
}

export function faulty(code: number, why: string): FaultyVerb {
  return { verb: 'Faulty', code, why }
}

/** POST unless it says GET. */
export function methodOf(method: string | undefined): Method {
  return method?.toUpperCase() === 'GET' ? 'GET' : 'POST'
}

/** Seconds as written; `otherwise` where nothing useful is. */
export function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = Number(text ?? otherwise)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : otherwise
}

/** How often `<Play>` plays: 0 is as long as the call lasts. */
export function loopOf(element: Element): number {
  const times = Number(element.attributes.get('loop') ?? 1)
  return Number.isInteger(times) && times >= 0 ? times : 1
}
