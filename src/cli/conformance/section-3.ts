import { EVENT } from '../../service/contract.ts'
import { ackOf, events, ordinary, shown, started, startOf, turnedAway } from './assertions.ts'
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
  statement('3-3', 'nothing is processed before start', ({ sessions }) => {
    const { hasty } = sessions
    const ready = startOf(hasty)
    const before = hasty.happened.slice(0, ready < 0 ? undefined : ready)
    const early = before.find(({ name }) => name === EVENT.result || name === EVENT.endSynth)
    if (early) return broken(`${early.name} comes before start`)
    const answered = ackOf(hasty, 1)
    const answer = hasty.happened[answered]?.payload
    if (answer === false) return holds('a fragment before start is refused')
    if (answered >= 0 && answered < before.length)
      return broken(`a fragment before start is taken: ${shown(answer)}`)
    if (before.some(({ name }) => name === EVENT.error)) return holds('a fragment before start is an error')
    if (ready < 0) return notShown('no session starts')
    return answered < 0
      ? notShown('a fragment before start gets no answer')
      : holds('start came before a fragment was taken')
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
