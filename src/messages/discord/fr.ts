import type { ChannelWords } from './channel-words.ts'

export const FRENCH_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interprétation en direct dans ${channel}**, lancée par ${by}. Ce qui s’y dit est envoyé à un service de traduction et affiché en sous-titres. Rien n’est enregistré ni conservé. Vous ne voulez pas être écouté ? Appuyez sur le bouton ou tapez \`/interpret privacy opt-out\` : l’effet est immédiat. Pour choisir votre langue, tapez \`/interpret language\`.`,
  newcomers: (names, channel) =>
    `🔴 ${names} : ce qui se dit dans ${channel} est envoyé à un service de traduction et affiché en sous-titres ; rien n’est conservé. Pour refuser, appuyez sur le bouton ou tapez \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ L’interprétation dans ${channel} est terminée. Je n’écoute plus.`,
  kicked: 'J’ai été déconnecté, j’ai donc arrêté.',
  lost: 'J’ai perdu la connexion vocale et n’ai pas pu la rétablir, j’ai donc arrêté.',
  encryption: 'Le chiffrement avec Discord a échoué, j’ai donc arrêté.',
  permissions: 'Je n’ai plus accès à ce salon, j’ai donc arrêté.',
  empty: 'Tout le monde est parti, j’ai donc arrêté.',
  askedToSpeak:
    'J’ai demandé la parole. Tant qu’un modérateur ne me la donne pas, il n’y a que des sous-titres.',
  muted: 'Mon micro est coupé : il n’y a que des sous-titres.',
  deafened: 'J’ai été mis en sourdine : je ne peux entendre ni traduire personne.',
  noSpeak: 'Je n’ai pas le droit de parler dans ce salon : il n’y a que des sous-titres.',
  noAudio:
    'Des personnes parlent, mais aucun son n’arrive. L’opérateur du bot devrait vérifier si l’UDP est bloqué.',
  full: 'Il y a plus de monde que je ne peux écouter. Certaines personnes ne sont pas traduites.',
  serviceAway:
    '⚠️ Le service de traduction est indisponible. Je continue d’essayer ; d’ici là, il n’y a pas de sous-titres.',
  serviceBack: 'Le service de traduction a été indisponible un moment. Il fonctionne de nouveau.',
  headphones: name => `${name}, votre micro capte ce que je dis. Utilisez un casque, s’il vous plaît.`,
  thread: 'Sous-titres',
  telephone: 'téléphone',
}
