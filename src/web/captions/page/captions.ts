import { element } from '../../../pages/page/dom.ts'
import { type Access, accessOf, forgetKey, fragment, roomOf, storeKey } from './access.ts'
import { applyPreferences, wireControls } from './controls.ts'
import { readPreferences } from './preferences.ts'
import { Reading } from './reading.ts'
import { say } from './words.ts'

// Assembles the page. The path names the room; the fragment after `#` carries the authorization.

const said = fragment(location.hash)
const entry = element('entry', HTMLFormElement)
const roomField = element('entry-room', HTMLInputElement)
const keyField = element('entry-key', HTMLInputElement)
const state = element('state', HTMLParagraphElement)

const preferences = readPreferences(said)
applyPreferences(preferences)
const access = accessOf(said)
// A key is kept for the tab and removed from the address. A link stays, for bookmarks.
if (said.has('key')) {
  said.delete('key')
  history.replaceState(null, '', `${location.pathname}${said.size > 0 ? `#${said}` : ''}`)
}
begin(roomOf(location.pathname), access)

function begin(room: string, access: Access | undefined): void {
  if (room === '' || access === undefined) ask(room)
  else read(room, access)
}

/** Asks for the missing room or key. */
function ask(room: string, why = ''): void {
  entry.hidden = false
  state.textContent = ''
  roomField.value = room
  element('entry-why', HTMLParagraphElement).textContent = why
  if (room === '') roomField.focus()
  else keyField.focus()
}

entry.addEventListener('submit', event => {
  event.preventDefault()
  const room = roomField.value.trim()
  storeKey(keyField.value.trim())
  location.assign(`/captions/${encodeURIComponent(room)}`)
})

function read(room: string, access: Access): void {
  // Whoever has a link knows the call, not the name of its room.
  if (access.kind === 'key') {
    element('room', HTMLElement).textContent = room
    document.title = say('titleOf', room)
  }
  element('to-dashboard', HTMLAnchorElement).hidden = access.kind === 'link'
  element('tools', HTMLDivElement).hidden = false
  element('stage', HTMLElement).hidden = false
  const reading = new Reading({
    room,
    access,
    preferences,
    onRefused: () => {
      forgetKey()
      ask(room, say('entryRefused'))
    },
  })
  element('moment-key', HTMLButtonElement).addEventListener('click', () => {
    history.replaceState(null, '', location.pathname)
    location.reload()
  })
  element('ended-downloads', HTMLButtonElement).addEventListener('click', () =>
    element('open-downloads', HTMLButtonElement).click(),
  )
  wireControls(reading)
  reading.start()
}
