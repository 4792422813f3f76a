import { EVENT } from '../../service/contract.ts'
import { events, ordinary, shown, started, turnedAway } from './look.ts'
import { broken, either, holds, notShown, type Statement, statement } from './statement.ts'

/** Section 3: states and transitions. */
export const SECTION_3: readonly Statement[] = [
  statement('3-1', 'a connection with a valid key gets connected', evidence => {
    const begun = ordinary(evidence).filter(started)
    if (begun.length === 0) return notShown('no session starts')
    const mute = begun.find(record => events(record, EVENT.connected).length === 0)
    return either(!mute, mute ? `none on ${mute.namespace}` : `${begun.length} sessions`)
  }),
  statement('3-2', 'start follows when the session is set up', evidence => {
    const connected = ordinary(evidence).filter(record => events(record, EVENT.connected).length > 0)
    const waiting = connected.filter(record => !turnedAway(record))
    if (waiting.length === 0) return notShown('no session gets connected')
    const mute = waiting.find(record => !started(record))
    return either(!mute, mute ? `none on ${mute.namespace}` : `${waiting.length} sessions`)
  }),
  statement('3-3', 'nothing is processed before start', ({ sessions: { hasty } }) => {
    if (!started(hasty)) return notShown('no session starts')
    const ready = hasty.happened.findIndex(({ name }) => name === EVENT.start)
    const first = hasty.happened.findIndex(({ kind }) => kind === 'ack')
    const answer = hasty.happened[first]?.payload
    if (first >= 0 && answer === false) return holds('a fragment before start is refused')
    if (first >= 0 && first < ready) return broken(`a fragment before start is taken: ${shown(answer)}`)
    const told = hasty.happened.findIndex(({ name }) => name === EVENT.error)
    if (told >= 0 && told < ready) return holds('a fragment before start is an error')
    return notShown('start came before the fragment could')
  }),
  statement('3-4', 'the websocket transport is enough, without upgrade', evidence => {
    const records = ordinary(evidence)
    if (records.some(({ happened }) => happened.some(({ kind }) => kind === 'connect')))
      return holds('connected')
    const failed = records.flatMap(({ happened }) => happened).find(({ kind }) => kind === 'connect_error')
    if (!failed || evidence.languages.status === 0) return notShown('no connection')
    return failed.payload === undefined
      ? broken(`no websocket: ${failed.name}`)
      : notShown(`refused: ${shown(failed.payload)}`)
  }),
]
