import type { Element } from './xml.ts'

export type Method = 'GET' | 'POST'

/** An instruction that cannot be followed: the code that Twilio would log before the next verb runs. */
export interface FaultyVerb {
  readonly verb: 'Faulty'
  readonly code: number
  readonly why: string
}

export function faulty(code: number, why: string): FaultyVerb {
  return { verb: 'Faulty', code, why }
}

/** POST, unless `method` is GET. */
export function methodOf(method: string | undefined): Method {
  return method?.toUpperCase() === 'GET' ? 'GET' : 'POST'
}

/** Seconds as written; `otherwise` if there is no valid number. */
export function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = Number(text ?? otherwise)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : otherwise
}

/** Number of times that `<Play>` plays: 0 repeats until the call ends. */
export function loopOf(element: Element): number {
  const times = Number(element.attributes.get('loop') ?? 1)
  return Number.isInteger(times) && times >= 0 ? times : 1
}
