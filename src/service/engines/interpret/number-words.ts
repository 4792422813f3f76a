import { type LanguageId, primaryLanguage } from '../../../common/language.ts'

/** What a word contributes to a number: a number below 1000, `hundred` and `scale` multiply what is before them. */
interface Part {
  readonly value: number
  /** What can follow it without a conjunction is below this. */
  readonly room: number
  readonly kind: 'number' | 'hundred' | 'scale' | 'and' | 'ordinal'
}

/** Number words by value; `weak` ones often mean something else, so that a translation need not have them. */
interface Lexicon {
  readonly numbers: string
  readonly hundred: string
  readonly scales: string
  readonly and: string
  readonly weak: string
  /** First, second and so on, which end a number: `twenty-first`. */
  readonly ordinals?: string
}

/** `word=value` or, in a list, words of 0, 1, 2 and so on; spellings of one value are separated by a slash. */
const LEXICONS: Readonly<Record<string, Lexicon>> = {
  en: {
    numbers: `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
      eighteen nineteen twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90
      twenties=20 thirties=30 forties=40 fifties=50 sixties=60 seventies=70 eighties=80 nineties=90`,
    hundred: 'hundred',
    scales: 'thousand=1e3 million=1e6 billion=1e9',
    and: 'and',
    weak: 'zero one twenties thirties forties fifties sixties seventies eighties nineties',
    ordinals: 'first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9',
  },
  es: {
    numbers: `cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis
      diecisiete dieciocho diecinueve veinte veintiuno/veintiun/veintiuna veintidos veintitres veinticuatro veinticinco
      veintiseis veintisiete veintiocho veintinueve treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80
      noventa=90 cien/ciento=100 doscientos/doscientas=200 trescientos/trescientas=300 cuatrocientos/cuatrocientas=400
      quinientos/quinientas=500 seiscientos/seiscientas=600 setecientos/setecientas=700 ochocientos/ochocientas=800
      novecientos/novecientas=900`,
    hundred: '',
    scales: 'mil=1e3 millon/millones=1e6',
    and: 'y',
    weak: 'cero uno un una',
  },
  fr: {
    numbers: `zero un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt/vingts=20
      trente=30 quarante=40 cinquante=50 soixante=60 septante=70 huitante=80 nonante=90`,
    hundred: 'cent/cents',
    scales: 'mille=1e3 million/millions=1e6 milliard/milliards=1e9',
    and: 'et',
    weak: 'zero un une neuf',
  },
  de: {
    numbers: `null eins/ein/eine/einen/einem/einer zwei/zwo drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn
      vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig=20 dreißig/dreissig=30 vierzig=40 funfzig=50
      sechzig=60 siebzig=70 achtzig=80 neunzig=90`,
    hundred: 'hundert',
    scales: 'tausend=1e3 million/millionen/mio=1e6 milliarde/milliarden/mrd=1e9',
    and: 'und',
    weak: 'null eins ein eine einen einem einer acht',
  },
  it: {
    numbers: `zero uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
      diciassette diciotto diciannove venti=20 trenta=30 quaranta=40 cinquanta=50 sessanta=60 settanta=70 ottanta=80
      novanta=90`,
    hundred: 'cento',
    scales: 'mille/mila=1e3 milione/milioni=1e6 miliardo/miliardi=1e9',
    and: 'e',
    weak: 'zero uno un una sei',
  },
  pt: {
    numbers: `zero um/uma dois/duas tres quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze
      dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte=20 trinta=30 quarenta=40 cinquenta=50
      sessenta=60 setenta=70 oitenta=80 noventa=90 cem/cento=100 duzentos/duzentas=200 trezentos/trezentas=300
      quatrocentos/quatrocentas=400 quinhentos/quinhentas=500 seiscentos/seiscentas=600 setecentos/setecentas=700
      oitocentos/oitocentas=800 novecentos/novecentas=900`,
    hundred: '',
    scales: 'mil=1e3 milhao/milhoes=1e6 bilhao/bilhoes=1e9',
    and: 'e',
    weak: 'zero um uma',
  },
}

/** The number words of one language. */
class NumberWords {
  readonly #parts = new Map<string, Part>()
  readonly #weak: ReadonlySet<string>
  readonly #language: string
  readonly #compound: ((word: string, words: NumberWords) => number | undefined) | undefined

  constructor(language: string, { numbers, hundred, scales, and, weak, ordinals }: Lexicon) {
    this.#weak = new Set(weak.split(' '))
    this.#language = language
    this.#compound = COMPOUNDS[language]
    for (const [index, entry] of numbers.split(/\s+/).entries()) this.#add(entry, 'number', index)
    for (const entry of scales.split(' ')) this.#add(entry, 'scale', 0)
    if (hundred) this.#add(hundred, 'hundred', 100)
    this.#add(and, 'and', 0)
    for (const entry of ordinals?.split(' ') ?? []) this.#add(entry, 'ordinal', 0)
  }

  part(word: string): Part | undefined {
    const known = this.#parts.get(word)
    if (known) return known
    const value = word.length > 4 ? this.#compound?.(word, this) : undefined
    return value === undefined ? undefined : { value, room: 0, kind: 'number' }
  }

  /** Value of a word that is a number below 100. */
  plain(word: string): number | undefined {
    const part = this.#parts.get(word)
    return part?.kind === 'number' ? part.value : undefined
  }

  isWeak(word: string): boolean {
    return this.#weak.has(word)
  }

  #add(entry: string, kind: Part['kind'], index: number): void {
    const [words = '', value] = entry.split('=')
    for (const word of words.split('/')) {
      const number = value === undefined ? index : Number(value)
      const room = (this.#language === 'fr' && FRENCH_ROOMS[number]) || roomAfter(number)
      this.#parts.set(word, { kind, value: number, room })
    }
  }
}

/** `dix-sept`, `soixante-douze`, `quatre-vingt-dix`. */
const FRENCH_ROOMS: Readonly<Record<number, number>> = { 10: 10, 60: 20, 80: 20 }

/** Languages that write numbers in one word. */
const COMPOUNDS: Readonly<Record<string, (word: string, words: NumberWords) => number | undefined>> = {
  de: germanNumber,
  it: italianNumber,
}

function germanNumber(word: string, words: NumberWords): number | undefined {
  const known = words.plain(word.replace(/mal$/, ''))
  if (known !== undefined) return known
  const split = /^(.*?)tausend(?:und)?(.*)$/.exec(word) ?? /^(.*?)hundert(?:und)?(.*)$/.exec(word)
  if (split) {
    const factor = split[1] === '' ? 1 : germanNumber(split[1]!, words)
    const rest = split[2] === '' ? 0 : germanNumber(split[2]!, words)
    const unit = word.includes('tausend') ? 1_000 : 100
    return factor === undefined || rest === undefined ? undefined : factor * unit + rest
  }
  const two = /^(ein|zwei|zwo|drei|vier|funf|sechs|sieben|acht|neun)und(.+?)(?:st(?:e[nrsm]?))?$/.exec(word)
  const tens = two && words.plain(two[2]!)
  return tens && tens >= 20 ? tens + words.plain(two[1]!)! : undefined
}

function italianNumber(word: string, words: NumberWords): number | undefined {
  const known = words.plain(word)
  if (known !== undefined) return known
  const split = /^(.*?)(?:mila|mille)(.*)$/.exec(word) ?? /^(.*?)cento?(.*)$/.exec(word)
  if (split) {
    const factor = split[1] === '' ? 1 : italianNumber(split[1]!, words)
    const rest = split[2] === '' ? 0 : italianNumber(split[2]!, words)
    const unit = /mila|mille/.test(word) ? 1_000 : 100
    return factor === undefined || rest === undefined ? undefined : factor * unit + rest
  }
  // The last vowel of the tens is dropped before uno and otto.
  const two = /^(vent|trent|quarant|cinquant|sessant|settant|ottant|novant)([ia]?)(.+)$/.exec(word)
  if (!two) return undefined
  const tens = words.plain(`${two[1]}${two[1] === 'vent' ? 'i' : 'a'}`)
  const unit = words.plain(two[3]!)
  return tens !== undefined && unit !== undefined && unit < 10 ? tens + unit : undefined
}

const known = new Map(
  Object.entries(LEXICONS).map(([language, words]) => [language, new NumberWords(language, words)]),
)

/** Whether numbers in words are found in a language. */
export function hasNumberWords(language: LanguageId): boolean {
  return known.has(primaryLanguage(language))
}

/** A figure of a text. */
export interface Figure {
  /** As written. */
  readonly text: string
  /** Canonical: `1200`, `3.5`, `18:40`. */
  readonly value: string
  /** It can mean something else than a figure. */
  readonly weak: boolean
}

const TOKEN = /\d+(?:[.,:'’\u00a0\u202fh]\d+)*|\p{L}+/gu
/** Letters after digits that multiply them, in Chinese, Japanese and Korean. */
const SCALES: Readonly<Record<string, number>> = {
  ...{ 百: 100, 千: 1e3, 천: 1e3, 万: 1e4, 萬: 1e4, 만: 1e4, 億: 1e8, 亿: 1e8, 억: 1e8 },
}
const TIME = /^(\d{1,2})[:h](\d{2})$/

/** Returns the numbers, amounts, dates and times of a text, in digits and, in en, es, fr, de, it and pt, in words. */
export function figuresIn(text: string, language: LanguageId): Figure[] {
  const words = known.get(primaryLanguage(language))
  const figures: Figure[] = []
  let open: OpenNumber | undefined
  const close = () => {
    if (open) figures.push(open.figure(text))
    open = undefined
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const to = index + token.length
    if (/\d/.test(token)) {
      close()
      open = OpenNumber.digits(token, index)
      const scale = SCALES[text[to] ?? '']
      if (scale !== undefined) open.add({ kind: 'scale', value: scale, room: 0 }, to + 1)
      continue
    }
    const word = token.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    const part = words?.part(word)
    // Only blanks and hyphens join the words of one number.
    if (open && !/^[\s-]*$/.test(text.slice(open.endAt, index))) close()
    if (!part) close()
    else if (part.kind === 'and') open?.and(to)
    else if (part.kind === 'ordinal') {
      // A thirty second delay is not the thirty-second one.
      if (part.value !== 2 || text[index - 1] === '-') open?.add(part, to)
      close()
    } else if (open?.add(part, to)) continue
    else {
      close()
      open = OpenNumber.words(part, index, to, words!.isWeak(word))
    }
  }
  close()
  return figures
}

/** A number that is being read. */
class OpenNumber {
  readonly #from: number
  readonly #digits: string | undefined
  #to: number
  /** The end with a conjunction, which belongs to the number only if more follows. */
  endAt: number
  #weak: boolean
  #total = 0
  #current: number
  /** What can be added must be below this. */
  #room: number
  #scale = Number.POSITIVE_INFINITY

  private constructor(
    from: number,
    to: number,
    { value, room }: Pick<Part, 'value' | 'room'>,
    weak: boolean,
    digits?: string,
  ) {
    this.#from = from
    this.#to = to
    this.endAt = to
    this.#current = value
    this.#weak = weak
    this.#digits = digits
    this.#room = room
  }

  static digits(text: string, at: number): OpenNumber {
    return new OpenNumber(at, at + text.length, { value: Number(canonical(text)), room: 0 }, false, text)
  }

  static words(part: Part, from: number, to: number, weak: boolean): OpenNumber {
    if (part.kind === 'number') return new OpenNumber(from, to, part, weak)
    const number = new OpenNumber(from, to, { value: 0, room: 0 }, weak)
    number.add(part, to)
    return number
  }

  /** A conjunction follows. */
  and(to: number): void {
    this.endAt = to
  }

  /** Adds the next word; false if it starts another number. */
  add({ kind, value, room }: Part, to: number): boolean {
    if (kind === 'scale') {
      if (value >= this.#scale || Number.isNaN(this.#current)) return false
      this.#total += (this.#current === 0 && this.#total === 0 ? 1 : this.#current) * value
      this.#scale = value
      this.#current = 0
      this.#room = Math.min(value, 1_000)
    } else if (this.#digits !== undefined && this.#total === 0) return false
    else if (kind === 'hundred') {
      if (this.#current >= 100) return false
      this.#current = (this.#current || 1) * 100
      this.#room = 100
    } else if (value === 20 && this.#current % 100 === 4) {
      // quatre-vingt
      this.#current += 76
      this.#room = 20
    } else {
      if (value >= this.#room || value === 0) return false
      this.#current += value
      this.#room = Math.min(this.#room, room)
    }
    this.#to = to
    this.endAt = to
    this.#weak = false
    return true
  }

  figure(text: string): Figure {
    const own = this.#digits !== undefined && this.#total === 0
    return {
      text: text.slice(this.#from, this.#to),
      value: own ? canonical(this.#digits!) : String(this.#total + this.#current),
      weak: this.#weak,
    }
  }
}

/** What can follow a number without a conjunction is below this. */
function roomAfter(value: number): number {
  if (value >= 100) return 100
  return value >= 20 && value % 10 === 0 ? 10 : 0
}

/** `1,200.50` and `1.200,50` → `1200.5`; `18h40` → `18:40`. */
function canonical(text: string): string {
  const time = TIME.exec(text)
  if (time) return `${Number(time[1])}:${time[2]}`
  const plain = text.replace(/['’\u00a0\u202f]/g, '')
  const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?$/.exec(plain)
  const [whole = '', fraction] = grouped
    ? plain.replaceAll(grouped[1]!, '').split(/[.,]/)
    : /^\d+[.,]\d+$/.test(plain)
      ? plain.split(/[.,]/)
      : [plain]
  const value = Number(fraction === undefined ? whole : `${whole}.${fraction}`)
  return Number.isFinite(value) ? String(value) : plain
}
