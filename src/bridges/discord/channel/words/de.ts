import type { ChannelWords } from '../channel-words.ts'

export const GERMAN: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **In ${channel} wird gedolmetscht**, gestartet von ${by}. Was dort gesagt wird, geht an einen Übersetzungsdienst ` +
    'und erscheint als Untertitel. Nichts wird aufgezeichnet oder aufbewahrt. Sie möchten nicht, dass man Ihnen zuhört? ' +
    'Drücken Sie den Knopf oder tippen Sie `/interpret privacy opt-out`: Das gilt sofort. `/interpret language` ' +
    'stellt Ihre Sprache ein.',
  newcomers: (names, channel) =>
    `🔴 ${names}: Was in ${channel} gesagt wird, geht an einen Übersetzungsdienst und erscheint als Untertitel; nichts ` +
    'wird aufbewahrt. Der Knopf oder `/interpret privacy opt-out` sagt Nein.',
  ended: channel => `⚪ Das Dolmetschen in ${channel} ist beendet. Niemandem wird mehr zugehört.`,
  kicked: 'Ich wurde getrennt und habe aufgehört.',
  lost: 'Die Sprachverbindung ist abgerissen und kam nicht wieder; ich habe aufgehört.',
  encryption: 'Mit Discord kam keine Verschlüsselung zustande; ich habe aufgehört.',
  permissions: 'Ich darf nicht mehr in diesem Kanal sein und habe aufgehört.',
  empty: 'Es war niemand mehr da, ich habe aufgehört.',
  askedToSpeak:
    'Ich habe auf dieser Bühne ums Wort gebeten. Bis ein Moderator es mir gibt, gibt es nur Untertitel.',
  muted: 'Ich bin stumm geschaltet; es gibt nur Untertitel.',
  deafened: 'Ich bin taub geschaltet: Ich höre niemanden und übersetze nichts.',
  noSpeak: 'Ich darf in diesem Kanal nicht sprechen; es gibt nur Untertitel.',
  noAudio:
    'Ich sehe, dass gesprochen wird, und bekomme keinen Ton. Der Betreiber sollte prüfen, ob UDP durchkommt.',
  full: 'Es sind mehr Leute hier, als ich gerade hören kann. Manche werden nicht übersetzt.',
  serviceAway:
    '⚠️ Der Übersetzungsdienst ist nicht erreichbar. Ich versuche es weiter; bis dahin gibt es keine Untertitel.',
  serviceBack: 'Der Übersetzungsdienst war eine Weile nicht erreichbar. Er ist wieder da.',
  headphones: name => `${name}, Ihr Mikrofon nimmt auf, was ich sage. Bitte benutzen Sie Kopfhörer.`,
  thread: 'Untertitel',
  telephone: 'Telefon',
}
