import type { Words } from './words.ts'

export const FRENCH: Words = {
  commands: {
    interpret: ['interpréter', 'Interpréter un salon vocal en direct : chacun parle sa propre langue'],
    start: ['démarrer', 'Commencer à interpréter un salon vocal'],
    stop: ['arrêter', 'Cesser d’interpréter'],
    language: ['langue', 'Dire quelle langue tu parles et lis'],
    output: ['sortie', 'Choisir ce qui est dit dans le salon'],
    captions: ['sous-titres', 'Choisir l’aspect des sous-titres et leur place'],
    status: ['état', 'Montrer ce qui est interprété, et pour qui'],
    privacy: ['confidentialité', 'Ce qu’il advient de ta voix, et comment dire non'],
    info: ['infos', 'Ce qu’il advient de ta voix, et ce qui est gardé à ton sujet'],
    optOut: ['ne-pas-écouter', 'Ne pas m’écouter, ni maintenant ni plus tard'],
    optIn: ['écouter', 'M’écouter de nouveau'],
    forget: ['oublier', 'Effacer tout ce qui est gardé à ton sujet'],
    dial: ['appeler', 'Appeler un téléphone dans la conversation'],
    invite: ['inviter', 'Obtenir un code qui permet à d’autres de rejoindre la conversation'],
    options: {
      channel: ['salon', 'Le salon vocal (sinon celui où tu es)'],
      captionsOnly: ['sous-titres-seuls', 'Écrire des sous-titres sans rien dire dans le salon'],
      roomCode: ['code', 'Le code d’une conversation à rejoindre'],
      language: ['langue', 'Commence à taper son nom'],
      user: ['membre', 'Quelqu’un d’autre (modérateurs seulement)'],
      remember: ['retenir', 'Le garder pour la prochaine fois (sinon non)'],
      first: ['première', 'Une langue, ou automatique'],
      second: ['deuxième', 'Une langue de plus'],
      style: ['style', 'L’aspect des sous-titres'],
      thread: ['fil', 'Dans un fil à eux'],
      number: ['numéro', 'Le numéro de téléphone, comme +33612345678'],
      theirLanguage: ['langue', 'Ce que parle la personne au téléphone'],
    },
    styles: { embed: 'En couleur', plain: 'Texte simple', off: 'Pas de sous-titres' },
    readOnly: 'à entendre et lire seulement',
    auto: 'Automatique : selon les personnes dans le salon',
  },
  answers: {
    onlyInServers: 'Cela ne marche que sur les serveurs.',
    notInvited: url =>
      `Je ne suis pas membre de ce serveur : seules mes commandes y sont installées. Demande à qui peut gérer le serveur de m’ajouter en tant que bot : ${url}`,
    notThisServer: 'Je ne suis pas configuré pour ce serveur.',
    unknownCommand:
      'Je ne connais pas cette commande. Discord montre peut-être une ancienne liste : redémarre-le et réessaie.',
    failed: 'Cela a échoué, et tu n’y es pour rien. Réessaie dans un moment.',
    tooFast: seconds => `C’était beaucoup à la fois. Attends ${seconds} s.`,
    notRunning: 'Rien n’est interprété ici en ce moment. `/interpret start` commence.',
    notYours:
      'Seuls peuvent le changer les membres dans ce salon vocal, la personne qui a commencé, et qui peut gérer les salons.',
    moderatorsOnly:
      'Pour d’autres, seul peut le faire qui peut rendre muets des membres ou gérer les salons.',

    started: (channel, text) =>
      `J’interprète ${channel}. Parle ta propre langue ; les sous-titres sont dans ${text}. \`/interpret language\` choisit la tienne.`,
    startedCaptionsOnly: (channel, text) =>
      `J’écris les sous-titres de ${channel} dans ${text} ; rien n’est dit. \`/interpret language\` choisit ta langue.`,
    runningHere: 'Ce salon est déjà interprété.',
    runningElsewhere: channel =>
      `J’interprète déjà ${channel}, et je ne peux être que dans un salon par serveur. \`/interpret stop\` l’arrête là-bas.`,
    joinFirst: 'Rejoins d’abord un salon vocal, ou nommes-en un.',
    beThere: channel =>
      `Rejoins d’abord ${channel}. De l’extérieur, seul peut commencer qui peut gérer les salons.`,
    noVoiceChannel: channel => `${channel} n’est pas un salon vocal.`,
    notAllowedThere: channel => `Tu ne peux pas rejoindre ${channel} toi-même.`,
    restChannel: channel => `${channel} est le salon des absents : personne ne peut y parler.`,
    channelFull: (channel, limit) =>
      `${channel} est plein (${limit}). Augmente sa limite, ou permets-moi de déplacer des membres.`,
    missing: (channel, permissions) => `Dans ${channel}, il me manque :\n${permissions}`,
    giveThem: role =>
      `Qui gère le serveur peut me le donner : modifier le salon, Permissions, rôle **${role}**.`,
    withoutThem: 'D’ici là, les sous-titres s’en passent.',
    timedOut: 'Un modérateur m’a exclu temporairement : jusqu’à la fin, je ne peux ni écrire ni parler.',
    noThreadHere:
      'Il n’y a pas de fils dans le chat d’un salon vocal : les sous-titres vont dans le chat lui-même.',
    wrongCode: 'Il n’y a pas de conversation avec ce code. Les codes expirent ; demandes-en un nouveau.',
    tooManyCodes: 'Trop de codes erronés. Attends quelques minutes.',
    noCapacity: 'Il y a déjà autant de conversations que possible. Réessaie plus tard.',
    ends: {
      kicked: 'Un modérateur m’a déconnecté pendant que je rejoignais le salon.',
      permissions: 'Discord ne m’a pas laissé entrer : il manque une permission.',
      channelGone: 'Le salon n’existe plus.',
      encryption:
        'Je n’ai pas pu convenir d’un chiffrement avec Discord, je suis donc parti. Réessaie dans un moment.',
      refused: code => `Discord a refusé la connexion (code ${code}).`,
      unreachable: attempts =>
        `J’ai essayé ${attempts} fois sans obtenir de connexion vocale. Réessaie, ou choisis une autre région pour le salon.`,
      closing: 'On me redémarre. Réessaie dans une minute.',
      other: 'L’interprétation s’est terminée à peine commencée.',
    },
    permissions: {
      ViewChannel: 'Voir le salon',
      Connect: 'Se connecter',
      Speak: 'Parler',
      RequestToSpeak: 'Demander à prendre la parole',
      SendMessages: 'Envoyer des messages',
      EmbedLinks: 'Intégrer des liens',
      ReadMessageHistory: 'Voir les anciens messages',
      CreatePublicThreads: 'Créer des fils publics',
      SendMessagesInThreads: 'Envoyer des messages dans les fils',
      ChangeNickname: 'Changer de pseudo',
    },

    stopped: channel => `Je n’interprète plus ${channel}.`,

    languageIs: language => `Ta langue est **${language}**.`,
    languageOf: (name, language) => `La langue de ${name} est **${language}**.`,
    keptUntilRestart: 'Je le garde jusqu’à mon redémarrage ; avec `remember`, plus longtemps.',
    remembered: 'Je le retiens. `/interpret privacy forget` l’efface.',
    notUnderstood: language =>
      `${language} peut être entendu et lu ici, mais pas reconnu : ce qui est dit dans cette langue n’est pas traduit.`,
    unknownLanguage: text => `« ${text} » n’est pas une langue que j’ai.`,
    perhaps: languages => `Peut-être : ${languages}`,
    languagesAway:
      'Je ne peux pas demander ses langues au service de traduction pour l’instant. Réessaie dans un moment.',
    stillOptedOut:
      'Tu as demandé à ne pas être écouté, donc personne ne t’écoute. `/interpret privacy opt-in` le change.',

    outputAuto:
      'Ce qui est dit suit les personnes dans le salon : deux langues, les deux ; une seule ou plus, voir `/interpret status`.',
    outputIs: languages =>
      `Dit dans le salon : **${languages}**. Les sous-titres continuent pour les autres.`,
    noVoice: language => `Il n’y a pas de voix pour ${language}.`,

    captionsAre: style => `Sous-titres : **${style}**.`,
    captionsOff: 'Les sous-titres ne sont plus écrits.',
    inThread: 'Ils vont dans un fil à eux.',
    captionsFailed: 'Cela n’a pas marché : je ne peux pas écrire là-bas.',

    status: {
      joining: channel => `**Je rejoins ${channel} …**`,
      listening: channel => `🔴 **J’interprète ${channel}**`,
      reconnecting: channel => `**La connexion à ${channel} s’est rompue ; j’essaie de la rétablir.**`,
      since: time => `Depuis ${time}`,
      encrypted: 'Chiffré de bout en bout, aussi loin que va Discord',
      notEncrypted: 'Sans chiffrement de bout en bout',
      output: output => `Sortie : ${output}`,
      auto: 'automatique',
      spoken: languages => `Dit en ce moment : ${languages}`,
      written: languages => `Sous-titres en ce moment : ${languages}`,
      nothing: 'rien',
      captions: (style, channel) => `Sous-titres : ${style}, dans ${channel}`,
      speakers: 'Personnes :',
      nobody: 'Personne n’est encore écouté.',
      optedOut: 'a dit non, n’est pas écouté',
      from: {
        asked: 'comme indiqué',
        remembered: 'retenu',
        locale: 'd’après son Discord',
        default: 'supposé',
      },
      more: count => `et ${count} de plus`,
      away: '⚠️ Le service de traduction est injoignable pour l’instant. Je continue d’essayer.',
    },

    privacy: {
      info:
        'Pendant qu’un salon est interprété, les voix sont envoyées à un service de traduction, qui les reconnaît et les ' +
        'traduit. Je ne garde aucun enregistrement. Les sous-titres sont des messages ordinaires et restent dans le chat ' +
        'jusqu’à ce qu’on les efface. Tu peux dire non à tout moment par `/interpret privacy opt-out` : dès lors je ne reçois plus rien de toi.',
      nothingKept: 'Je ne garde rien à ton sujet.',
      keptLanguage: language => `Je retiens ta langue : ${language}.`,
      sessionLanguage: language => `Jusqu’à mon redémarrage je connais ta langue : ${language}.`,
      youOptedOut: 'Je retiens que tu as demandé à ne pas être écouté.',
      optedOut:
        'Je ne t’écoute plus, ni ici ni sur aucun autre serveur. Tu entends et lis toujours les autres. ' +
        '`/interpret privacy opt-in` le change.',
      optedIn: 'Tu es de nouveau interprété à partir de maintenant.',
      forgotten:
        'Tout ce que je gardais à ton sujet est effacé, y compris ton refus, s’il y en avait un. Les sous-titres sont des messages : efface-les toi-même, ou demande à un modérateur.',
    },

    dial: {
      off: 'Les appels téléphoniques ne sont pas configurés sur ce serveur.',
      notYou: 'Tu ne peux pas appeler de téléphone : il faut un certain rôle, ou pouvoir gérer le serveur.',
      noNumber: 'Ce n’est pas un numéro de téléphone. Écris-le avec son pays, comme +33612345678.',
      calling: 'Ça sonne …',
      announced: (name, language) =>
        `${name} appelle un téléphone (${language}) dans cette conversation. Qui répondra vous entendra.`,
      joined: 'Le téléphone a rejoint la conversation.',
      answered: 'On a répondu ; le téléphone est dans la conversation.',
      busy: 'La ligne est occupée.',
      noAnswer: 'Personne n’a répondu.',
      voicemail: 'Un répondeur a pris l’appel ; j’ai raccroché.',
      cancelled: 'L’appel a été arrêté avant que quelqu’un réponde.',
      callFailed: 'L’appel a échoué.',
      refused: 'Ce numéro ne peut pas être appelé.',
      capacity: 'Trop d’appels sont en cours. Réessaie plus tard.',
    },

    invite: {
      byPhone: (numbers, code) => `Par téléphone : appelle le ${numbers} et tape **${code}**.`,
      byDiscord: code => `Depuis un autre serveur : \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Le code est valable ${minutes} minutes, pour tous ceux qui l’ont. Qui rejoint entend ce salon.`,
      noCodes: 'Il y a trop de codes en ce moment. Réessaie plus tard.',
    },

    buttons: {
      optOut: 'Ne m’écoute pas',
      optIn: 'Écoute-moi de nouveau',
      privacy: 'Qu’advient-il de ma voix ?',
    },
  },
}
