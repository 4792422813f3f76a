/** Actions that participants can trigger with keys. */
export const KEY_ACTIONS = ['pause', 'repeat', 'mute', 'recording', 'language', 'options'] as const
export type KeyAction = (typeof KEY_ACTIONS)[number]

/** Key sequence of each action; a digit from 1 to 9 follows that of `language`. None is a prefix of another. */
export const KEY_SEQUENCES: Readonly<Record<KeyAction, string>> = {
  pause: '*1',
  repeat: '*2',
  mute: '*3',
  recording: '*5',
  language: '*9',
  options: '*0',
}

export type KeyCommand =
  | { readonly action: Exclude<KeyAction, 'language'> }
  /** The language offered as `choice`, counted from 1. */
  | { readonly action: 'language'; readonly choice: number }

/** Command of each complete key sequence. No sequence is a prefix of another. */
export type KeyTable = ReadonlyMap<string, KeyCommand>

/** The incomplete sequence typed so far. */
export interface KeyState {
  readonly typed: string
  /** Time of its last key (ms). */
  readonly at: number
}

export const NO_KEYS: KeyState = { typed: '', at: Number.NEGATIVE_INFINITY }

/** Returns the sequences of these actions. */
export function keyTable(actions: readonly KeyAction[]): KeyTable {
  const table = new Map<string, KeyCommand>()
  for (const action of actions) {
    const sequence = KEY_SEQUENCES[action]
    if (action === 'language')
      for (let choice = 1; choice <= 9; choice++) table.set(`${sequence}${choice}`, { action, choice })
    else table.set(sequence, { action })
  }
  return table
}

/**
 * Processes `key`, pressed at `now` (ms). A key that cannot continue the typed sequence, or that follows it after more than
 * `timeoutMs`, starts a new sequence.
 */
export function press(
  table: KeyTable,
  state: KeyState,
  key: string,
  now: number,
  timeoutMs: number,
): { readonly state: KeyState; readonly command?: KeyCommand } {
  const before = now - state.at <= timeoutMs ? state.typed : ''
  for (const typed of before === '' ? [key] : [before + key, key]) {
    const command = table.get(typed)
    if (command) return { state: NO_KEYS, command }
    if (isBeginning(table, typed)) return { state: { typed, at: now } }
  }
  return { state: NO_KEYS }
}

function isBeginning(table: KeyTable, typed: string): boolean {
  for (const sequence of table.keys()) if (sequence.startsWith(typed)) return true
  return false
}
