import type { VoiceEntry } from '../../contract.ts'
import { LANGUAGE_ROWS, type LanguageRow } from './language-ids.ts'

/** A voice of the list, and its eSpeak NG name. */
export interface EspeakVoice {
  readonly entry: VoiceEntry
  /** Value of `-v`. */
  readonly argument: string
}

/** Variants offered in addition to the plain voice. */
const VARIANTS: readonly { key: string; name: string; gender: 'M' | 'F' }[] = [
  { key: '', name: 'male', gender: 'M' },
  { key: 'f3', name: 'female', gender: 'F' },
  { key: 'm3', name: 'male, second', gender: 'M' },
  { key: 'f2', name: 'female, second', gender: 'F' },
]

/** Parses the table printed by `espeak-ng --voices`; MBROLA entries are listed there but have no data. */
export function parseVoices(table: string): Set<string> {
  const languages = new Set<string>()
  for (const line of table.split('\n').slice(1)) {
    const [, language, , , file] = line.trim().split(/\s+/)
    if (language !== undefined && !file?.startsWith('mb/')) languages.add(language)
  }
  return languages
}

/** Parses the names of the variants in the table printed by `espeak-ng --voices=variant`. */
export function parseVariants(table: string): Set<string> {
  return new Set(Array.from(table.matchAll(/!v\/(\S+)/g), match => match[1] ?? ''))
}

/** Returns the voices for the installed languages and variants. */
export function voiceList(languages: ReadonlySet<string>, variants: ReadonlySet<string>): EspeakVoice[] {
  return LANGUAGE_ROWS.flatMap(row =>
    row.espeak !== undefined && languages.has(row.espeak)
      ? VARIANTS.filter(({ key }) => key === '' || variants.has(key)).map(variant =>
          voice(row, row.espeak!, variant),
        )
      : [],
  )
}

function voice(row: LanguageRow, language: string, variant: (typeof VARIANTS)[number]): EspeakVoice {
  const borrowed = row.borrowed === undefined ? '' : `, spoken by the ${row.borrowed} voice`
  return {
    argument: variant.key === '' ? language : `${language}+${variant.key}`,
    entry: {
      voiceId: ['espeak', row.id, variant.key].filter(part => part !== '').join('-'),
      name: `${row.name}, ${variant.name}${borrowed}`,
      languageId: row.id,
      voiceGender: variant.gender,
      voiceEngine: 'standard',
      modes: ['block', 'streaming'],
    },
  }
}
