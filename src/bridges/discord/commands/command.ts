import { asciiDigits } from '../../../common/digits.ts'
import type { CaptionStyle } from '../channel-interpreter.ts'
import type { TranscriptFormat } from './command-context.ts'

/** `/interpret …` as typed: languages and numbers are still unchecked text. */
export type Command =
  | {
      readonly kind: 'start'
      /** Absent: the channel that the user is in. */
      readonly channelId?: string
      readonly captionsOnly: boolean
      readonly roomCode?: string
    }
  | { readonly kind: 'stop' }
  | { readonly kind: 'listen' }
  | { readonly kind: 'pause' | 'resume' }
  | { readonly kind: 'transcript'; readonly format: TranscriptFormat }
  | {
      readonly kind: 'language'
      readonly language: string
      /** A user other than the one asking. */
      readonly userId?: string
      readonly remember: boolean
    }
  | { readonly kind: 'output'; readonly first: string; readonly second?: string }
  | {
      readonly kind: 'captions'
      /** Absent fields stay unchanged. */
      readonly style?: CaptionStyle
      readonly thread?: boolean
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'privacy'; readonly wish: PrivacyWish }
  | { readonly kind: 'dial'; readonly number: string; readonly language: string }
  | { readonly kind: 'invite' }
  /** From an older or newer definition, or with missing or invalid options. */
  | { readonly kind: 'unknown' }

export type PrivacyWish = 'info' | 'opt-out' | 'opt-in' | 'forget'

/** Text in an option with autocompletion. */
export interface Typing {
  readonly purpose: 'speak' | 'hear' | 'hear-or-auto'
  readonly text: string
}

/** An option as Discord sends it (Discord: Application Command Interaction Data Option). */
export interface RawOption {
  readonly name: string
  readonly value?: string | number | boolean | undefined
  readonly options?: readonly RawOption[] | undefined
  readonly focused?: boolean | undefined
}

/** Name of the command. */
export const COMMAND = 'interpret'

/** Maximum length of text that is parsed. */
const MOST = 100
const STYLES: readonly string[] = ['embed', 'plain', 'webhook', 'off'] satisfies CaptionStyle[]
const FORMATS: readonly string[] = ['text', 'srt', 'vtt'] satisfies TranscriptFormat[]
const WISHES: readonly string[] = ['info', 'opt-out', 'opt-in', 'forget'] satisfies PrivacyWish[]
const UNKNOWN: Command = { kind: 'unknown' }

/** Parses `/name …`. Never throws; unrecognized input is `unknown`. */
export function parseCommand(name: string, data: readonly RawOption[]): Command {
  const [sub] = data
  if (name !== COMMAND || data.length !== 1 || !sub) return UNKNOWN
  const given = new Given(sub.options ?? [])
  switch (sub.name) {
    case 'start': {
      const channelId = given.id('channel')
      const roomCode = given.text('room-code')
      return {
        kind: 'start',
        captionsOnly: given.flag('captions-only') ?? false,
        ...(channelId === undefined ? {} : { channelId }),
        ...(roomCode === undefined ? {} : { roomCode: asciiDigits(roomCode) }),
      }
    }
    case 'stop':
    case 'status':
    case 'invite':
    case 'listen':
    case 'pause':
    case 'resume':
      return { kind: sub.name }
    case 'transcript': {
      const format = given.text('format') ?? 'text'
      return isFormat(format) ? { kind: 'transcript', format } : UNKNOWN
    }
    case 'language': {
      const language = given.text('language')
      const userId = given.id('user')
      if (language === undefined) return UNKNOWN
      const remember = given.flag('remember') ?? false
      return { kind: 'language', language, remember, ...(userId === undefined ? {} : { userId }) }
    }
    case 'output': {
      const first = given.text('first')
      const second = given.text('second')
      return first === undefined
        ? UNKNOWN
        : { kind: 'output', first, ...(second === undefined ? {} : { second }) }
    }
    case 'captions': {
      const style = given.text('style')
      const thread = given.flag('thread')
      if (style !== undefined && !isStyle(style)) return UNKNOWN
      return {
        kind: 'captions',
        ...(style === undefined ? {} : { style }),
        ...(thread === undefined ? {} : { thread }),
      }
    }
    case 'privacy': {
      const [wish] = sub.options ?? []
      return wish && isWish(wish.name) ? { kind: 'privacy', wish: wish.name } : UNKNOWN
    }
    case 'dial': {
      const [number, language] = [given.text('number'), given.text('language')]
      return number === undefined || language === undefined ? UNKNOWN : { kind: 'dial', number, language }
    }
    default:
      return UNKNOWN
  }
}

/** Returns the text being typed in an option with autocompletion, otherwise undefined. Never throws. */
export function parseTyping(name: string, data: readonly RawOption[]): Typing | undefined {
  const [sub] = data
  const focused = sub?.options?.find(each => each.focused)
  if (name !== COMMAND || !sub || typeof focused?.value !== 'string') return undefined
  const text = focused.value.slice(0, MOST)
  switch (`${sub.name} ${focused.name}`) {
    case 'language language':
    case 'dial language':
      return { purpose: 'speak', text }
    case 'output first':
      return { purpose: 'hear-or-auto', text }
    case 'output second':
      return { purpose: 'hear', text }
    default:
      return undefined
  }
}

/** The options of a subcommand. A value of the wrong type counts as absent. */
class Given {
  readonly #options: readonly RawOption[]

  constructor(options: readonly RawOption[]) {
    this.#options = options
  }

  text(name: string): string | undefined {
    const value = this.#value(name)
    if (typeof value !== 'string') return undefined
    return value.trim().slice(0, MOST) || undefined
  }

  /** A snowflake. */
  id(name: string): string | undefined {
    const text = this.text(name)
    return text !== undefined && /^\d{1,20}$/.test(text) ? text : undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.#value(name)
    return typeof value === 'boolean' ? value : undefined
  }

  #value(name: string): string | number | boolean | undefined {
    return this.#options.find(each => each.name === name)?.value
  }
}

function isStyle(text: string): text is CaptionStyle {
  return STYLES.includes(text)
}

function isFormat(text: string): text is TranscriptFormat {
  return FORMATS.includes(text)
}

function isWish(text: string): text is PrivacyWish {
  return WISHES.includes(text)
}
