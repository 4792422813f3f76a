import type { ChannelWords } from './channel-words.ts'

export const GERMAN_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **In ${channel} wird gedolmetscht**, gestartet von ${by}. Was dort gesagt wird, geht an einen Übersetzungsdienst und erscheint als Untertitel. Nichts wird aufgezeichnet oder aufbewahrt. Sie möchten das nicht? Drücken Sie den Knopf oder tippen Sie \`/interpret privacy opt-out\`: Das wirkt sofort. Ihre Sprache legen Sie mit \`/interpret language\` fest.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: Was in ${channel} gesagt wird, geht an einen Übersetzungsdienst und erscheint als Untertitel; nichts wird aufbewahrt. Zum Widersprechen drücken Sie den Knopf oder tippen Sie \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ Das Dolmetschen in ${channel} ist beendet. Ich höre nicht mehr zu.`,
  kicked: 'Ich wurde getrennt und habe deshalb aufgehört.',
  lost: 'Die Sprachverbindung ist abgebrochen und ließ sich nicht wiederherstellen, deshalb habe ich aufgehört.',
  encryption: 'Die Verschlüsselung mit Discord ist fehlgeschlagen, deshalb habe ich aufgehört.',
  permissions: 'Ich habe keinen Zugriff mehr auf diesen Kanal, deshalb habe ich aufgehört.',
  empty: 'Alle sind gegangen, deshalb habe ich aufgehört.',
  askedToSpeak:
    'Ich habe auf dieser Bühne eine Redeanfrage gestellt. Bis ein Moderator sie annimmt, gibt es nur Untertitel.',
  muted: 'Ich bin stummgeschaltet, deshalb gibt es nur Untertitel.',
  deafened: 'Ich bin taub geschaltet und kann deshalb niemanden hören oder übersetzen.',
  noSpeak: 'Ich darf in diesem Kanal nicht sprechen, deshalb gibt es nur Untertitel.',
  noAudio:
    'Es wird gesprochen, aber kein Ton kommt an. Der Betreiber dieses Bots sollte prüfen, ob UDP blockiert wird.',
  full: 'Hier sind mehr Leute, als ich gleichzeitig hören kann. Manche werden nicht übersetzt.',
  serviceAway:
    '⚠️ Der Übersetzungsdienst ist nicht erreichbar. Ich versuche es weiter; bis dahin gibt es keine Untertitel.',
  serviceBack: 'Der Übersetzungsdienst war eine Weile nicht erreichbar. Er ist wieder da.',
  headphones: name => `${name}, Ihr Mikrofon nimmt auf, was ich sage. Bitte benutzen Sie Kopfhörer.`,
  thread: 'Untertitel',
  telephone: 'Telefon',
}
