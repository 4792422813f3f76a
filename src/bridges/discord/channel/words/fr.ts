import type { ChannelWords } from '../channel-words.ts'

export const FRENCH: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interprétation en direct dans ${channel}**, lancée par ${by}. Ce qui s’y dit est envoyé à un service de ` +
    'traduction et affiché en sous-titres. Rien n’est enregistré ni conservé. Vous ne voulez pas être écouté ? Appuyez ' +
    'sur le bouton ou tapez `/interpret privacy opt-out` : l’effet est immédiat. `/interpret language` choisit votre ' +
    'langue.',
  newcomers: (names, channel) =>
    `🔴 ${names} : ce qui se dit dans ${channel} est envoyé à un service de traduction et affiché en sous-titres ; rien ` +
    'n’est conservé. Le bouton ou `/interpret privacy opt-out` permet de refuser.',
  ended: channel => `⚪ L’interprétation dans ${channel} est terminée. Plus personne n’est écouté.`,
  kicked: 'On m’a déconnecté ; j’ai arrêté.',
  lost: 'J’ai perdu la connexion vocale sans pouvoir la rétablir ; j’ai arrêté.',
  encryption: 'Le chiffrement avec Discord n’a pas abouti ; j’ai arrêté.',
  permissions: 'Je ne peux plus être dans ce salon ; j’ai arrêté.',
  empty: 'Il n’y avait plus personne ; j’ai arrêté.',
  askedToSpeak:
    'J’ai demandé la parole. Tant qu’un modérateur ne me la donne pas, il n’y a que les sous-titres.',
  muted: 'Mon micro est coupé ; il n’y a que les sous-titres.',
  deafened: 'Je suis rendu sourd : je n’entends personne et ne traduis rien.',
  noSpeak: 'Je ne peux pas parler dans ce salon ; il n’y a que les sous-titres.',
  noAudio: 'Je vois qu’on parle et ne reçois aucun son. L’opérateur du bot devrait vérifier que l’UDP passe.',
  full: 'Il y a plus de monde que je ne peux écouter. Certains ne sont pas traduits.',
  serviceAway:
    '⚠️ Le service de traduction est injoignable. Je continue d’essayer ; d’ici là il n’y a pas de sous-titres.',
  serviceBack: 'Le service de traduction a été injoignable un moment. Il est de retour.',
  headphones: name => `${name}, votre micro capte ce que je dis. Utilisez un casque, s’il vous plaît.`,
  thread: 'Sous-titres',
  telephone: 'téléphone',
}
