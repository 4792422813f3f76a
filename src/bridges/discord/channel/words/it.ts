import type { ChannelWords } from '../channel-words.ts'

export const ITALIAN: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretazione dal vivo in ${channel}**, avviata da ${by}. Ciò che vi si dice è inviato a un servizio di ` +
    'traduzione e mostrato nei sottotitoli. Non si registra e non si conserva nulla. Non vuole essere ascoltato? Prema ' +
    'il pulsante o scriva `/interpret privacy opt-out`: vale subito. `/interpret language` imposta la sua lingua.',
  newcomers: (names, channel) =>
    `🔴 ${names}: ciò che si dice in ${channel} è inviato a un servizio di traduzione e mostrato nei sottotitoli; non si ` +
    'conserva nulla. Con il pulsante o `/interpret privacy opt-out` si può rifiutare.',
  ended: channel => `⚪ L’interpretazione in ${channel} è finita. Nessuno viene più ascoltato.`,
  kicked: 'Sono stato disconnesso e ho smesso.',
  lost: 'Ho perso la connessione vocale senza riuscire a recuperarla; ho smesso.',
  encryption: 'Non è stato possibile accordare la cifratura con Discord; ho smesso.',
  permissions: 'Non posso più stare in questo canale; ho smesso.',
  empty: 'Non c’era più nessuno; ho smesso.',
  askedToSpeak:
    'Ho chiesto la parola su questo palco. Finché un moderatore non me la dà ci sono solo i sottotitoli.',
  muted: 'Sono silenziato; ci sono solo i sottotitoli.',
  deafened: 'Mi è stato tolto l’audio: non sento nessuno e non traduco nulla.',
  noSpeak: 'Non posso parlare in questo canale; ci sono solo i sottotitoli.',
  noAudio: 'Vedo che si parla e non ricevo audio. L’operatore del bot dovrebbe controllare che UDP passi.',
  full: 'Ci sono più persone di quante ne possa ascoltare ora. Alcune non vengono tradotte.',
  serviceAway:
    '⚠️ Il servizio di traduzione non è raggiungibile. Continuo a provare; fino ad allora non ci sono sottotitoli.',
  serviceBack: 'Il servizio di traduzione non è stato raggiungibile per un po’. È tornato.',
  headphones: name => `${name}, il suo microfono capta ciò che dico. Usi le cuffie, per favore.`,
  thread: 'Sottotitoli',
  telephone: 'telefono',
}
