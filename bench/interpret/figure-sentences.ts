import { randomFrom } from '../../simulator/random.ts'

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'pt'] as const
type Language = (typeof LANGUAGES)[number]

/** A number as each language writes it: in digits, then in words, in the order of `LANGUAGES`. */
const NUMBERS: readonly (readonly [value: number, ...words: string[]])[] = [
  [2, 'two', 'dos', 'deux', 'zwei', 'due', 'dois'],
  [7, 'seven', 'siete', 'sept', 'sieben', 'sette', 'sete'],
  [11, 'eleven', 'once', 'onze', 'elf', 'undici', 'onze'],
  [12, 'twelve', 'doce', 'douze', 'zwölf', 'dodici', 'doze'],
  [16, 'sixteen', 'dieciséis', 'seize', 'sechzehn', 'sedici', 'dezesseis'],
  [17, 'seventeen', 'diecisiete', 'dix-sept', 'siebzehn', 'diciassette', 'dezessete'],
  [21, 'twenty-one', 'veintiuno', 'vingt et un', 'einundzwanzig', 'ventuno', 'vinte e um'],
  [25, 'twenty-five', 'veinticinco', 'vingt-cinq', 'fünfundzwanzig', 'venticinque', 'vinte e cinco'],
  [38, 'thirty eight', 'treinta y ocho', 'trente-huit', 'achtunddreißig', 'trentotto', 'trinta e oito'],
  [50, 'fifty', 'cincuenta', 'cinquante', 'fünfzig', 'cinquanta', 'cinquenta'],
  [71, 'seventy-one', 'setenta y uno', 'soixante et onze', 'einundsiebzig', 'settantuno', 'setenta e um'],
  [
    77,
    'seventy-seven',
    'setenta y siete',
    'soixante-dix-sept',
    'siebenundsiebzig',
    'settantasette',
    'setenta e sete',
  ],
  [80, 'eighty', 'ochenta', 'quatre-vingts', 'achtzig', 'ottanta', 'oitenta'],
  [
    84,
    'eighty-four',
    'ochenta y cuatro',
    'quatre-vingt-quatre',
    'vierundachtzig',
    'ottantaquattro',
    'oitenta e quatro',
  ],
  [
    98,
    'ninety-eight',
    'noventa y ocho',
    'quatre-vingt-dix-huit',
    'achtundneunzig',
    'novantotto',
    'noventa e oito',
  ],
  [100, 'a hundred', 'cien', 'cent', 'hundert', 'cento', 'cem'],
  [105, 'one hundred and five', 'ciento cinco', 'cent cinq', 'hundertfünf', 'centocinque', 'cento e cinco'],
  [
    250,
    'two hundred and fifty',
    'doscientos cincuenta',
    'deux cent cinquante',
    'zweihundertfünfzig',
    'duecentocinquanta',
    'duzentos e cinquenta',
  ],
  [
    999,
    'nine hundred ninety-nine',
    'novecientos noventa y nueve',
    'neuf cent quatre-vingt-dix-neuf',
    'neunhundertneunundneunzig',
    'novecentonovantanove',
    'novecentos e noventa e nove',
  ],
  [1_000, 'a thousand', 'mil', 'mille', 'tausend', 'mille', 'mil'],
  [
    1_200,
    'twelve hundred',
    'mil doscientos',
    'mille deux cents',
    'tausendzweihundert',
    'milleduecento',
    'mil e duzentos',
  ],
  [
    1_995,
    'one thousand nine hundred and ninety-five',
    'mil novecientos noventa y cinco',
    'mille neuf cent quatre-vingt-quinze',
    'eintausendneunhundertfünfundneunzig',
    'millenovecentonovantacinque',
    'mil novecentos e noventa e cinco',
  ],
  [
    3_400,
    'three thousand four hundred',
    'tres mil cuatrocientos',
    'trois mille quatre cents',
    'dreitausendvierhundert',
    'tremilaquattrocento',
    'três mil e quatrocentos',
  ],
  [
    50_000,
    'fifty thousand',
    'cincuenta mil',
    'cinquante mille',
    'fünfzigtausend',
    'cinquantamila',
    'cinquenta mil',
  ],
  [
    125_000,
    'one hundred and twenty-five thousand',
    'ciento veinticinco mil',
    'cent vingt-cinq mille',
    'hundertfünfundzwanzigtausend',
    'centoventicinquemila',
    'cento e vinte e cinco mil',
  ],
  [
    2_000_000,
    'two million',
    'dos millones',
    'deux millions',
    'zwei Millionen',
    'due milioni',
    'dois milhões',
  ],
]

/** Sentences around a figure, in the order of `LANGUAGES`; some contain words that are no figures. */
const FRAMES: readonly (readonly string[])[] = [
  [
    'The invoice is for # euros.',
    'La factura es de # euros.',
    'La facture est de # euros.',
    'Die Rechnung beträgt # Euro.',
    'La fattura è di # euro.',
    'A fatura é de # euros.',
  ],
  [
    'We sold # machines, and one of them broke.',
    'Vendimos # máquinas, y una de ellas se rompió.',
    "Nous avons vendu # machines, et l'une d'elles s'est cassée.",
    'Wir haben # Maschinen verkauft, und eine davon ging kaputt.',
    'Abbiamo venduto # macchine, e una di esse si è rotta.',
    'Vendemos # máquinas, e uma delas quebrou.',
  ],
  [
    'My first house cost # in the year that I married.',
    'Mi primera casa costó # en el año en que me casé.',
    "Ma première maison a coûté # l'année où je me suis marié.",
    'Mein erstes Haus kostete # in dem Jahr, in dem ich heiratete.',
    "La mia prima casa è costata # nell'anno in cui mi sono sposato.",
    'Minha primeira casa custou # no ano em que me casei.',
  ],
  [
    'There are # people in the room.',
    'Hay # personas en la sala.',
    'Il y a # personnes dans la salle.',
    'Es sind # Personen im Raum.',
    'Ci sono # persone nella sala.',
    'Há # pessoas na sala.',
  ],
]

/** How each language separates thousands. */
const GROUPS: Readonly<Record<Language, string>> = {
  en: ',',
  es: '.',
  fr: '\u202f',
  de: '.',
  it: '.',
  pt: '.',
}

/** Times of day. */
const TIMES = ['6:40', '9:15', '18:05', '23:59'] as const
const TIME_FRAMES = [
  'The train leaves at #.',
  'El tren sale a las #.',
  'Le train part à #.',
  'Der Zug fährt um # Uhr.',
  'Il treno parte alle #.',
  'O trem sai às #.',
] as const

export interface FigureSentence {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly translation: string
  readonly corrupted: boolean
}

/** `count` sentences with one figure and their translations, in digits and in words; every third has another figure. */
export function figureSentences(count: number): FigureSentence[] {
  const random = randomFrom(7)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const written = (number: (typeof NUMBERS)[number], language: number): string => {
    const [value] = number
    const digits = String(value)
    const grouped = digits.replace(/\B(?=(\d{3})+$)/g, GROUPS[LANGUAGES[language]!])
    return pick([digits, grouped, String(number[language + 1]), String(number[language + 1])])
  }
  return Array.from({ length: count }, (_, n) => {
    const corrupted = n % 3 === 0
    const from = Math.floor(random() * LANGUAGES.length)
    const to = (from + 1 + Math.floor(random() * (LANGUAGES.length - 1))) % LANGUAGES.length
    const languages = { from: `${LANGUAGES[from]}-xx`, to: `${LANGUAGES[to]}-xx`, corrupted }
    if (n % 10 === 9) {
      const time = pick(TIMES)
      const other = corrupted ? pick(TIMES.filter(each => each !== time)) : time
      const shown = LANGUAGES[to] === 'fr' ? other.replace(':', 'h') : other
      return {
        ...languages,
        text: TIME_FRAMES[from]!.replace('#', time),
        translation: TIME_FRAMES[to]!.replace('#', shown),
      }
    }
    const frame = pick(FRAMES)
    const number = pick(NUMBERS)
    const other = corrupted ? pick(NUMBERS.filter(each => each !== number)) : number
    return {
      ...languages,
      text: frame[from]!.replace('#', written(number, from)),
      translation: frame[to]!.replace('#', written(other, to)),
    }
  })
}
