import type { ChannelWords } from './channel-words.ts'

export const ITALIAN_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretazione dal vivo in ${channel}**, avviata da ${by}. Ciò che vi si dice viene inviato a un servizio di traduzione e mostrato nei sottotitoli. Non si registra e non si conserva nulla. Non vuole essere ascoltato? Prema il pulsante o scriva \`/interpret privacy opt-out\`: ha effetto immediato. Per scegliere la sua lingua, scriva \`/interpret language\`.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: ciò che si dice in ${channel} viene inviato a un servizio di traduzione e mostrato nei sottotitoli; non si conserva nulla. Per rifiutare, prema il pulsante o scriva \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ L’interpretazione in ${channel} è finita. Non ascolto più.`,
  kicked: 'Sono stato disconnesso, quindi mi sono fermato.',
  lost: 'Ho perso la connessione vocale e non sono riuscito a ripristinarla, quindi mi sono fermato.',
  encryption: 'La cifratura con Discord non è riuscita, quindi mi sono fermato.',
  permissions: 'Non ho più accesso a questo canale, quindi mi sono fermato.',
  empty: 'Sono usciti tutti, quindi mi sono fermato.',
  askedToSpeak:
    'Ho chiesto la parola su questo palco. Finché un moderatore non me la dà, ci sono solo i sottotitoli.',
  muted: 'Sono silenziato, quindi ci sono solo i sottotitoli.',
  deafened: 'Mi è stato disattivato l’audio, quindi non posso sentire né tradurre nessuno.',
  noSpeak: 'Non ho il permesso di parlare in questo canale, quindi ci sono solo i sottotitoli.',
  noAudio:
    'Ci sono persone che parlano, ma non arriva audio. L’operatore del bot dovrebbe controllare se UDP è bloccato.',
  full: 'Ci sono più persone di quante ne possa ascoltare. Alcune non vengono tradotte.',
  serviceAway:
    '⚠️ Il servizio di traduzione non è disponibile. Continuo a provare; fino ad allora non ci sono sottotitoli.',
  serviceBack: 'Il servizio di traduzione non è stato disponibile per un po’. Ora funziona.',
  headphones: name => `${name}, il suo microfono capta ciò che dico. Usi le cuffie, per favore.`,
  thread: 'Sottotitoli',
  telephone: 'telefono',
}
