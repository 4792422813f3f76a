import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { LanguageId } from '../../../common/language.ts'
import { languageRow } from '../languages.ts'

/** Common phone phrases that rule-based translation gets wrong. */
const DEFAULT_PHRASES: Phrases = {
  en: {
    es: {
      hello: 'Hola.',
      hi: 'Hola.',
      'good morning': 'Buenos días.',
      'good afternoon': 'Buenas tardes.',
      'good evening': 'Buenas noches.',
      goodbye: 'Adiós.',
      'good bye': 'Adiós.',
      bye: 'Adiós.',
      'see you later': 'Hasta luego.',
      'see you tomorrow': 'Hasta mañana.',
      yes: 'Sí.',
      no: 'No.',
      okay: 'De acuerdo.',
      'all right': 'De acuerdo.',
      'of course': 'Por supuesto.',
      please: 'Por favor.',
      thanks: 'Gracias.',
      'thank you': 'Gracias.',
      'thank you very much': 'Muchas gracias.',
      "you're welcome": 'De nada.',
      'excuse me': 'Disculpe.',
      sorry: 'Lo siento.',
      "i'm sorry": 'Lo siento.',
      'how are you': '¿Cómo está?',
      "i'm fine": 'Estoy bien.',
      'who is calling': '¿Quién llama?',
      'who is this': '¿Con quién hablo?',
      'how can i help you': '¿En qué puedo ayudarle?',
      'can you hear me': '¿Me oye?',
      'i can hear you': 'Le oigo bien.',
      "i can't hear you": 'No le oigo.',
      'speak louder please': 'Hable más alto, por favor.',
      'speak more slowly please': 'Hable más despacio, por favor.',
      'can you repeat that': '¿Puede repetirlo?',
      'could you repeat that please': '¿Podría repetirlo, por favor?',
      "i don't understand": 'No entiendo.',
      'i understand': 'Entiendo.',
      "i don't know": 'No lo sé.',
      'one moment please': 'Un momento, por favor.',
      'hold the line please': 'No cuelgue, por favor.',
      'hold on': 'Un momento.',
      'what is your name': '¿Cómo se llama?',
      'what time is it': '¿Qué hora es?',
      'how much does it cost': '¿Cuánto cuesta?',
      'how much is it': '¿Cuánto es?',
      'where are you': '¿Dónde está?',
      'what is your phone number': '¿Cuál es su número de teléfono?',
      'what is your address': '¿Cuál es su dirección?',
      'i need help': 'Necesito ayuda.',
      'call an ambulance': 'Llame a una ambulancia.',
      'i would like to make an appointment': 'Quisiera pedir una cita.',
      'i would like to make a reservation': 'Quisiera hacer una reserva.',
      'please call me back': 'Llámeme más tarde, por favor.',
      'call me back': 'Llámeme más tarde.',
      'you have the wrong number': 'Se ha equivocado de número.',
      'have a nice day': 'Que tenga un buen día.',
      'nice to meet you': 'Mucho gusto.',
    },
  },
}

/**
 * Phrases by written source language, written target language and source text: `{ "en": { "es": { "hello": "Hola." } }
 * }`.
 */
const phrasesSchema = z.record(
  z.string(),
  z.record(z.string(), z.record(z.string().min(1), z.string().min(1))),
)
export type Phrases = z.infer<typeof phrasesSchema>

/**
 * Translations of whole phrases, consulted before the translator. The user's own have precedence over the built-in
 * ones.
 */
export class Phrasebook {
  readonly #pairs = new Map<string, Map<string, string>>()

  constructor(...layers: readonly Phrases[]) {
    for (const phrases of layers)
      for (const [from, targets] of Object.entries(phrases))
        for (const [to, entries] of Object.entries(targets)) this.#add(`${from} ${to}`, entries)
  }

  /**
   * Loads the built-in phrases, overridden by `glossary`, and by those of the JSON file `path`. Rejects with an error
   * that names the file and the key.
   */
  static async load(path?: string, glossary: Phrases = {}): Promise<Phrasebook> {
    if (path === undefined) return new Phrasebook(DEFAULT_PHRASES, glossary)
    const parsed = phrasesSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (!parsed.success) throw new RangeError(`phrasebook ${path}: ${z.prettifyError(parsed.error)}`)
    return new Phrasebook(DEFAULT_PHRASES, glossary, parsed.data)
  }

  /** Returns the translation if `text` consists entirely of one or more phrases. */
  lookup(text: string, from: LanguageId, to: LanguageId): string | undefined {
    const entries = this.#pairs.get(`${languageRow(from)?.written} ${languageRow(to)?.written}`)
    return entries && cover(plain(text).split(' '), entries)
  }

  #add(pair: string, entries: Readonly<Record<string, string>>): void {
    const known = this.#pairs.get(pair) ?? new Map<string, string>()
    this.#pairs.set(pair, known)
    for (const [phrase, translation] of Object.entries(entries)) known.set(plain(phrase), translation)
  }
}

/** Matches the longest phrase at the start, then the rest by the same rule; undefined unless all words are covered. */
function cover(words: readonly string[], entries: ReadonlyMap<string, string>): string | undefined {
  for (let count = words.length; count > 0; count--) {
    const first = entries.get(words.slice(0, count).join(' '))
    if (first === undefined) continue
    if (count === words.length) return first
    const rest = cover(words.slice(count), entries)
    return rest === undefined ? undefined : `${first} ${rest}`
  }
  return undefined
}

/** Lower case, no punctuation except the apostrophe, single blanks. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
