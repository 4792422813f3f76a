import { type LanguageId, primaryLanguage } from '../../../common/language.ts'

/** A word of a text with its punctuation, and its place. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
  /** For comparisons: without case, accents and punctuation; the punctuation itself if there is nothing else. */
  readonly key: string
}

/** Languages written without blanks between words. */
const UNSPACED = new Set(['ja', 'zh', 'th', 'lo', 'my', 'km'])

const segmenters = new Map<string, Intl.Segmenter>()

/** Splits a recognized text into its words. */
export function wordsOf(text: string, language: LanguageId): Word[] {
  const primary = primaryLanguage(language)
  const found = UNSPACED.has(primary)
    ? unspaced(text, primary)
    : Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
        ...{ text: word, from: index, to: index + word.length },
      }))
  return found.map(word => ({ ...word, key: keyOf(word.text) }))
}

function unspaced(text: string, language: string) {
  let segmenter = segmenters.get(language)
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' })
    segmenters.set(language, segmenter)
  }
  const words: { text: string; from: number; to: number }[] = []
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    const last = words.at(-1)
    // Punctuation belongs to the word before it.
    if (isWordLike || !last) words.push({ text: segment, from: index, to: index + segment.length })
    else if (segment.trim() !== '') {
      last.text += segment
      last.to = index + segment.length
    }
  }
  return words
}

function keyOf(word: string): string {
  const plain = word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
  return plain === '' ? word : plain
}

const SENTENCE_END = /[.?!…。！？]["'”’»)\]]*$/u
const CLAUSE_END = /[,;:—–،、，；：]["'”’»)\]]*$/u
/** A point after these does not end a sentence: titles, initials, ordinals, `z.B.`. */
const NO_END =
  /^["'“‘«(]*(?:(?:Mrs?|Ms|Dr|Drs|St|Sr|Sra|Prof|Nr|No|Mme|M|Hr|Fr|bzw|usw|ca|etc|vs|approx)\.|\p{L}\.|(?:\p{L}\.){2,}|\d+\.)$/iu

/** True if a sentence ends with `word`. */
export function endsSentence(word: string): boolean {
  return SENTENCE_END.test(word) && !NO_END.test(word)
}

/** True if a clause can end with `word`: punctuation within a sentence. */
export function endsClause(word: string): boolean {
  return CLAUSE_END.test(word)
}

/** Words that belong to the next one: articles, prepositions, auxiliaries, conjunctions, and what counts. */
const LEADING: Readonly<Record<string, string>> = {
  en: `a an the this that these those my your his her its our their no every each some any of to in on at by for from
    with about into onto over under after before between through during without against until since than as like and or
    but if because so when where who which what while that not is are was were be been am being has have had do does did
    will would can could shall should may might must i you he she it we they very more most too only also just mr mrs ms
    dr don't doesn't didn't won't can't isn't aren't wasn't`,
  es: `el la los las un una unos unas este esta estos estas ese esa esos esas mi mis tu tus su sus nuestro nuestra del al
    de a en con por para sin sobre entre hasta desde hacia según tras que y e o u pero si porque cuando donde quien cual
    como no se me te le les lo nos es son era eran ser fue ha han he hemos había habían haber va van voy puede pueden
    debe deben quiere muy más menos tan yo usted él ella nosotros ellos`,
  fr: `le la les l' un une des du de d' ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs au
    aux à en dans sur sous avec sans pour par chez entre vers depuis pendant avant après que qu' et ou mais si parce
    quand où qui dont comme ne n' se s' me m' te je j' tu il elle on nous vous ils elles est sont était étaient être a ont
    avait avaient avoir ai as va vont peut peuvent doit doivent veut très plus moins`,
  de: `der die das den dem des ein eine einen einem einer eines kein keine keinen mein meine dein sein seine ihr ihre unser
    in im ins an am auf aus bei beim mit nach von vom vor zu zum zur über unter zwischen durch für gegen ohne um bis seit
    während wegen und oder aber wenn weil dass als wie ob wo wer was nicht ist sind war waren hat haben hatte hatten wird
    werden wurde kann können muss müssen will wollen soll sollen darf ich du er sie es wir sehr mehr`,
  it: `il lo la i gli le l' un uno una un' questo questa questi queste quello quella mio mia tuo suo sua nostro vostro loro
    di a da in con su per tra fra del dello della dei degli delle al allo alla ai agli alle dal dalla nel nella nei sul
    sulla che e ed o ma se perché quando dove chi cui come non si mi ti ci vi è sono era erano essere ha hanno ho abbiamo
    aveva avevano va vanno può possono deve devono vuole molto più meno io lui lei noi`,
  pt: `o a os as um uma uns umas este esta esse essa aquele meu minha teu seu sua nosso nossa do da dos das no na nos nas
    ao à aos às de em com por para sem sobre entre até desde que e ou mas se porque quando onde quem qual como não me te
    lhe é são era eram ser foi tem têm tinha tinham há vai vão pode podem deve devem quer muito mais menos tão eu ele ela
    nós eles pelo pela`,
}

const leading = new Map(
  Object.entries(LEADING).map(([language, words]) => [language, new Set(words.split(/\s+/).map(keyOf))]),
)

/** True if a clause must not end behind `word`, because the next word belongs to it. */
export function clings({ text, key }: Word, language: LanguageId): boolean {
  if (endsSentence(text) || endsClause(text)) return false
  return /\d/.test(key) || leading.get(primaryLanguage(language))?.has(key) === true
}

/** Number of words that both texts begin with. */
export function sharedWords(before: readonly Word[], now: readonly Word[]): number {
  const most = Math.min(before.length, now.length)
  for (let n = 0; n < most; n++) if (before[n]!.key !== now[n]!.key) return n
  return most
}
