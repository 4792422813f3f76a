export {
  type Answering,
  type CannedOptions,
  canned,
  silence,
  type ToneOptions,
  tones,
} from './scripted-answers.ts'
export type { DropHow, Faults } from './scripted-faults.ts'
export { ScriptedService, type ScriptedServiceOptions } from './scripted-service.ts'
export type { Saying, ScriptedSession, SessionEvent } from './scripted-session.ts'
export { Mp3Maker, type Mp3Rate, tone, toneOf } from './tone-mp3.ts'
