import { randomFrom } from '../../simulator/random.ts'

/** One sentence, written in each language; each is a reference translation of the others. */
export type Sentence = Readonly<Record<'en' | 'es' | 'fr' | 'de', string>>

/** What people say on the phone: some short, some long, some with figures. */
export const SENTENCES: readonly Sentence[] = [
  {
    en: 'Good morning, I would like to speak with the doctor about my daughter.',
    es: 'Buenos días, me gustaría hablar con el doctor sobre mi hija.',
    fr: 'Bonjour, je voudrais parler avec le médecin au sujet de ma fille.',
    de: 'Guten Morgen, ich möchte mit dem Arzt über meine Tochter sprechen.',
  },
  {
    en: 'She has had a fever since Tuesday, and last night she did not sleep at all.',
    es: 'Tiene fiebre desde el martes, y anoche no durmió nada.',
    fr: "Elle a de la fièvre depuis mardi, et la nuit dernière elle n'a pas dormi du tout.",
    de: 'Sie hat seit Dienstag Fieber, und letzte Nacht hat sie gar nicht geschlafen.',
  },
  {
    en: 'We gave her the medicine that the pharmacy recommended, but it did not help.',
    es: 'Le dimos la medicina que la farmacia recomendó, pero no ayudó.',
    fr: "Nous lui avons donné le médicament que la pharmacie a recommandé, mais il n'a pas aidé.",
    de: 'Wir haben ihr das Medikament gegeben, das die Apotheke empfohlen hat, aber es hat nicht geholfen.',
  },
  {
    en: 'The office opens at nine and closes at five.',
    es: 'La oficina abre a las nueve y cierra a las cinco.',
    fr: 'Le bureau ouvre à neuf heures et ferme à cinq heures.',
    de: 'Das Büro öffnet um neun und schließt um fünf.',
  },
  {
    en: 'If you come before ten you will find a place for the car behind the building.',
    es: 'Si usted viene antes de las diez encontrará un lugar para el coche detrás del edificio.',
    fr: "Si vous venez avant dix heures vous trouverez une place pour la voiture derrière l'immeuble.",
    de: 'Wenn Sie vor zehn kommen, finden Sie einen Platz für das Auto hinter dem Gebäude.',
  },
  {
    en: 'The invoice is for 250 euros, and we have to pay it before the end of the month.',
    es: 'La factura es de 250 euros, y tenemos que pagarla antes del fin del mes.',
    fr: 'La facture est de 250 euros, et nous devons la payer avant la fin du mois.',
    de: 'Die Rechnung beträgt 250 Euro, und wir müssen sie vor dem Ende des Monats bezahlen.',
  },
  {
    en: 'My brother works in a small hotel near the station, where many people arrive late in the evening.',
    es: 'Mi hermano trabaja en un hotel pequeño cerca de la estación, donde mucha gente llega tarde por la noche.',
    fr: 'Mon frère travaille dans un petit hôtel près de la gare, où beaucoup de gens arrivent tard le soir.',
    de: 'Mein Bruder arbeitet in einem kleinen Hotel beim Bahnhof, wo viele Leute spät am Abend ankommen.',
  },
  {
    en: 'Can you repeat the number of the order?',
    es: '¿Puede usted repetir el número del pedido?',
    fr: 'Pouvez-vous répéter le numéro de la commande ?',
    de: 'Können Sie die Nummer der Bestellung wiederholen?',
  },
  {
    en: 'We bought the house eleven years ago, when the children were small and my parents lived in the same street.',
    es: 'Compramos la casa hace once años, cuando los niños eran pequeños y mis padres vivían en la misma calle.',
    fr: 'Nous avons acheté la maison il y a onze ans, quand les enfants étaient petits et que mes parents vivaient dans la même rue.',
    de: 'Wir haben das Haus vor elf Jahren gekauft, als die Kinder klein waren und meine Eltern in derselben Straße wohnten.',
  },
  {
    en: 'The water comes from the mountain, so it is cold even in summer.',
    es: 'El agua viene de la montaña, así que está fría incluso en verano.',
    fr: "L'eau vient de la montagne, donc elle est froide même en été.",
    de: 'Das Wasser kommt aus dem Gebirge, also ist es selbst im Sommer kalt.',
  },
  {
    en: 'Please send me the contract by mail, because I want to read it with my lawyer before I sign it.',
    es: 'Por favor envíeme el contrato por correo, porque quiero leerlo con mi abogado antes de firmarlo.',
    fr: "Envoyez-moi le contrat par la poste, s'il vous plaît, parce que je veux le lire avec mon avocat avant de le signer.",
    de: 'Bitte schicken Sie mir den Vertrag mit der Post, weil ich ihn mit meinem Anwalt lesen will, bevor ich ihn unterschreibe.',
  },
  {
    en: 'The train leaves at 18:40 from platform 7.',
    es: 'El tren sale a las 18:40 del andén 7.',
    fr: 'Le train part à 18:40 du quai 7.',
    de: 'Der Zug fährt um 18:40 von Gleis 7.',
  },
  {
    en: 'In the first year we sold 1200 machines, and in the second year we sold three times as many.',
    es: 'En el primer año vendimos 1200 máquinas, y en el segundo año vendimos tres veces más.',
    fr: 'La première année nous avons vendu 1200 machines, et la deuxième année nous en avons vendu trois fois plus.',
    de: 'Im ersten Jahr haben wir 1200 Maschinen verkauft, und im zweiten Jahr haben wir dreimal so viele verkauft.',
  },
  {
    en: 'I think that the problem is in the kitchen, not in the bathroom.',
    es: 'Creo que el problema está en la cocina, no en el baño.',
    fr: 'Je pense que le problème est dans la cuisine, pas dans la salle de bains.',
    de: 'Ich glaube, dass das Problem in der Küche ist, nicht im Bad.',
  },
  {
    en: 'The teacher said that the boy reads well but that he has to write more slowly and with more care.',
    es: 'La maestra dijo que el niño lee bien pero que tiene que escribir más despacio y con más cuidado.',
    fr: "La maîtresse a dit que le garçon lit bien mais qu'il doit écrire plus lentement et avec plus de soin.",
    de: 'Die Lehrerin sagte, dass der Junge gut liest, aber dass er langsamer und mit mehr Sorgfalt schreiben muss.',
  },
  {
    en: 'Thank you for your help, and until tomorrow.',
    es: 'Gracias por su ayuda, y hasta mañana.',
    fr: 'Merci pour votre aide, et à demain.',
    de: 'Danke für Ihre Hilfe, und bis morgen.',
  },
]

/** A word of a script, with its time (ms of the script). */
export interface ScriptWord {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  /** Counts the sentences of the script from 0. */
  readonly sentence: number
}

/** A speaker's words. */
export interface Script {
  readonly words: readonly ScriptWord[]
  readonly lengthMs: number
}

/** Length of a word: a part for the word and one for each of its letters, about 150 words a minute. */
const WORD_MS = 140
const LETTER_MS = 45
/** Pause after a comma, and between sentences without a rest (ms). */
const COMMA_MS = 120
const SENTENCE_MS = 250

/**
 * Returns `minutes` of `language` in which talk takes `share` of the time: the sentences in turn, with pauses between them.
 * A share of 1 leaves no pause in which a recognizer would end an utterance.
 */
export function script(language: keyof Sentence, minutes: number, share: number, seed = 1): Script {
  if (!(share > 0 && share <= 1)) throw new RangeError(`share lies between 0 and 1, got ${share}`)
  const random = randomFrom(seed)
  const words: ScriptWord[] = []
  const endMs = minutes * 60_000
  let at = 300
  let talked = 0
  for (let sentence = 0; at < endMs; sentence++) {
    const from = at
    for (const text of SENTENCES[sentence % SENTENCES.length]![language].split(' ')) {
      const lengthMs = Math.round((WORD_MS + LETTER_MS * text.length) * (0.85 + 0.3 * random()))
      words.push({ text, startMs: at, endMs: at + lengthMs, sentence })
      at += lengthMs + (/[,;:]$/.test(text) ? COMMA_MS : 0)
    }
    talked += at - from
    at = share === 1 ? at + SENTENCE_MS : Math.max(at + SENTENCE_MS, Math.round(talked / share))
  }
  return { words, lengthMs: at }
}
