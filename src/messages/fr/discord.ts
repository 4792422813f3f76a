import type { DiscordTexts } from '../en/discord.ts'

export const DISCORD: DiscordTexts = {
  channel: {
    listening: (by, channel) =>
      `🔴 **Interprétation en direct dans ${channel}**, lancée par ${by}. Ce qui s’y dit est envoyé à un service de traduction et affiché en sous-titres.`,
    newcomers: (names, channel) =>
      `🔴 ${names} : ce qui se dit dans ${channel} est envoyé à un service de traduction et affiché en sous-titres.`,
    keptNothing: 'Rien n’est enregistré ni conservé.',
    notRecorded: 'Aucun enregistrement.',
    recordedOnRequest: 'La conversation peut être enregistrée sur demande.',
    recorded: 'La conversation est enregistrée.',
    textUntilEnd:
      'Ce qui se dit est conservé sous forme de texte jusqu’à la fin de l’interprétation, pour `/interpret transcript`.',
    textLonger: 'Ce qui se dit est conservé sous forme de texte, même après la fin de l’interprétation.',
    toOptOut:
      'Vous ne voulez pas être écouté ? Appuyez sur le bouton ou tapez `/interpret privacy opt-out` : l’effet est immédiat.',
    toOptIn:
      'Je n’écoute que les personnes d’accord : appuyez sur le bouton ou tapez `/interpret privacy opt-in`. D’ici là, votre voix n’est pas envoyée. Vous pouvez changer d’avis à tout moment.',
    onlyRoles: roles =>
      `Je n’écoute que les membres avec ${roles}. Si c’est votre cas et que vous refusez, appuyez sur le bouton ou tapez \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'Pour choisir votre langue, tapez `/interpret language`.',
    paused: (by, channel) => `⏸ ${by} a mis l’interprétation en pause dans ${channel}. Je n’écoute personne.`,
    resumed: channel => `▶ L’interprétation dans ${channel} continue.`,
    ended: channel => `⚪ L’interprétation dans ${channel} est terminée. Je n’écoute plus.`,
    kicked: 'J’ai été déconnecté, j’ai donc arrêté.',
    taken: 'Une autre fonction de ce bot utilise maintenant sa voix ici, j’ai donc arrêté d’interpréter.',
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
    serviceUnavailable:
      '⚠️ Le service de traduction est indisponible. Je continue d’essayer ; d’ici là, il n’y a pas de sous-titres.',
    untranslated: names =>
      `⚠️ Je ne peux pas traduire tout le monde en ce moment. Il manque : ${names}. Je continue d’essayer.`,
    serviceBack: 'Le service de traduction a été indisponible un moment. Il fonctionne de nouveau.',
    headphones: name => `${name}, votre micro capte ce que je dis. Utilisez un casque, s’il vous plaît.`,
    thread: 'Sous-titres',
    telephone: 'téléphone',
  },
  commands: {
    interpret: [
      'interpréter',
      'Interprétation en direct dans un salon vocal : chacun parle sa propre langue',
    ],
    start: ['démarrer', 'Lancer l’interprétation d’un salon vocal'],
    stop: ['arrêter', 'Arrêter l’interprétation'],
    language: ['langue', 'Choisir la langue que tu parles et lis'],
    output: ['sortie', 'Choisir les langues parlées dans le salon'],
    captions: ['sous-titres', 'Choisir le style et l’emplacement des sous-titres'],
    status: ['état', 'Afficher ce qui est interprété, et pour qui'],
    privacy: ['confidentialité', 'Ce que devient ta voix, et comment refuser'],
    info: ['infos', 'Ce que devient ta voix, et ce qui est conservé sur toi'],
    optOut: ['ne-pas-écouter', 'Ne plus m’écouter, maintenant et à l’avenir'],
    optIn: ['écouter', 'M’écouter de nouveau'],
    forget: ['oublier', 'Effacer tout ce qui est conservé sur toi'],
    dial: ['appeler', 'Appeler un téléphone pour l’ajouter à la conversation'],
    invite: ['inviter', 'Obtenir un code pour que d’autres rejoignent la conversation'],
    listen: ['écouter', 'Obtenir un lien pour écouter dans n’importe quelle langue dans un navigateur'],
    pause: ['pause', 'Mettre en pause : rien n’est envoyé et le bot reste dans le salon'],
    resume: ['reprendre', 'Reprendre l’interprétation après une pause'],
    transcript: ['transcription', 'Obtenir ce qui a été dit dans ta langue, en fichier privé'],
    options: {
      channel: ['salon', 'Salon vocal (par défaut, celui où tu es)'],
      captionsOnly: ['sous-titres-seuls', 'Écrire des sous-titres sans parler dans le salon'],
      roomCode: ['code', 'Code de la conversation à rejoindre'],
      language: ['langue', 'Commence à taper son nom'],
      user: ['membre', 'Un autre membre (modérateurs uniquement)'],
      remember: ['retenir', 'La retenir pour la prochaine fois (par défaut, non)'],
      first: ['première', 'Une langue, ou automatique'],
      second: ['deuxième', 'Une autre langue'],
      style: ['style', 'Style des sous-titres'],
      thread: ['fil', 'Mettre les sous-titres dans un fil séparé'],
      number: ['numéro', 'Numéro de téléphone, comme +33612345678'],
      theirLanguage: ['langue', 'Langue de la personne au téléphone'],
      format: ['format', 'Format du fichier (par défaut : texte)'],
    },
    styles: {
      embed: 'En couleur',
      plain: 'Texte simple',
      webhook: 'Avec le nom et l’image de la personne',
      off: 'Pas de sous-titres',
    },
    formats: { text: 'Texte', srt: 'Sous-titres (SRT)', vtt: 'Sous-titres (WebVTT)' },
    readOnly: 'écoute et lecture seulement',
    auto: 'Automatique : selon les personnes dans le salon',
  },
  replies: {
    onlyInServers: 'Cela ne fonctionne que sur les serveurs.',
    notInvited: url =>
      `Je ne suis pas membre de ce serveur : seules mes commandes y sont installées. Demande à quelqu’un qui peut gérer le serveur de m’ajouter en tant que bot : ${url}`,
    notThisServer: 'Je ne suis pas configuré pour ce serveur.',
    unknownCommand:
      'Commande inconnue. Discord affiche peut-être une ancienne liste : redémarre-le et réessaie.',
    failed: 'Un problème est survenu de notre côté. Réessaie dans un moment.',
    tooFast: seconds => `Trop de demandes. Attends ${seconds} s.`,
    notRunning: 'Rien n’est interprété ici en ce moment. Pour commencer, utilise `/interpret start`.',
    notYours:
      'Seules les personnes présentes dans ce salon vocal, celle qui l’a lancé et les membres qui peuvent gérer les salons peuvent modifier cela.',
    moderatorsOnly:
      'Seuls les membres qui peuvent rendre muets des membres ou gérer les salons peuvent le faire pour d’autres.',

    started: (channel, text) =>
      `J’interprète ${channel}. Parle ta propre langue ; les sous-titres sont dans ${text}. Pour choisir ta langue, utilise \`/interpret language\`.`,
    startedCaptionsOnly: (channel, text) =>
      `J’écris les sous-titres de ${channel} dans ${text}, sans parler. Pour choisir ta langue, utilise \`/interpret language\`.`,
    runningHere: 'Ce salon est déjà interprété.',
    runningElsewhere: channel =>
      `J’interprète déjà ${channel}, et je ne peux être que dans un salon par serveur. Pour arrêter là-bas, utilise \`/interpret stop\`.`,
    joinFirst: 'Rejoins d’abord un salon vocal, ou indiques-en un.',
    beThere: channel =>
      `Rejoins d’abord ${channel}. De l’extérieur, seuls les membres qui peuvent gérer les salons peuvent commencer.`,
    noVoiceChannel: channel => `${channel} n’est pas un salon vocal.`,
    notAllowedThere: channel => `Tu n’as pas la permission de rejoindre ${channel}.`,
    restChannel: channel => `${channel} est le salon d’inactivité, où l’on ne peut pas parler.`,
    channelFull: (channel, limit) =>
      `${channel} est plein (${limit}). Augmente sa limite, ou autorise-moi à déplacer des membres.`,
    missing: (channel, permissions) => `Dans ${channel}, j’ai besoin de ces permissions :\n${permissions}`,
    giveThem: role =>
      `Une personne qui gère le serveur peut me les donner : modifier le salon, Permissions, rôle **${role}**.`,
    withoutThem: 'D’ici là, les sous-titres fonctionnent sans elles.',
    timedOut: 'Un modérateur m’a exclu temporairement : jusqu’à la fin, je ne peux ni écrire ni parler.',
    noThreadHere: 'Le chat d’un salon vocal n’a pas de fils : les sous-titres vont dans le chat lui-même.',
    wrongCode: 'Aucune conversation n’a ce code. Les codes expirent ; demandes-en un nouveau.',
    tooManyCodes: 'Trop de codes incorrects. Attends quelques minutes.',
    noCapacity: 'Toutes les places de conversation sont occupées. Réessaie plus tard.',
    ends: {
      kicked: 'Un modérateur m’a déconnecté pendant que je rejoignais le salon.',
      taken: channel =>
        `Une autre fonction de ce bot, comme la musique, utilise sa voix dans ${channel}. Arrêtez-la d’abord : je ne peux être que dans un seul salon vocal.`,
      takenSomewhere:
        'Une autre fonction de ce bot, comme la musique, utilise sa voix sur ce serveur. Arrêtez-la d’abord : je ne peux être que dans un seul salon vocal.',
      permissions: 'Je n’ai pas pu rejoindre le salon : il manque une permission.',
      channelGone: 'Le salon n’existe plus.',
      encryption: 'Le chiffrement avec Discord a échoué, je suis donc parti. Réessaie dans un moment.',
      refused: code => `Discord a refusé la connexion (code ${code}).`,
      unreachable: attempts =>
        `Pas de connexion vocale après ${attempts} tentatives. Réessaie, ou choisis une autre région pour le salon.`,
      closing: 'Je redémarre. Réessaie dans une minute.',
      other: 'L’interprétation s’est arrêtée juste après son lancement.',
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
      ManageWebhooks: 'Gérer les webhooks',
    },

    stopped: channel => `Je n’interprète plus ${channel}.`,

    languageIs: language => `Ta langue est **${language}**.`,
    languageOf: (name, language) => `La langue de ${name} est **${language}**.`,
    keptUntilRestart: 'Je la garde jusqu’à mon redémarrage ; avec `remember`, plus longtemps.',
    remembered: 'Je la retiens. Pour l’effacer, utilise `/interpret privacy forget`.',
    notUnderstood: language =>
      `Tu peux entendre et lire cette langue ici (${language}), mais je ne la reconnais pas : ce qui est dit dans cette langue n’est pas traduit.`,
    unknownLanguage: text => `« ${text} » n’est pas une langue que je connais.`,
    perhaps: languages => `Essaie : ${languages}`,
    languagesUnavailable:
      'Je n’arrive pas à obtenir les langues du service de traduction. Réessaie dans un moment.',
    stillOptedOut:
      'Tu as refusé d’être écouté, donc je ne t’écoute pas. Pour changer cela, utilise `/interpret privacy opt-in`.',

    outputAuto:
      'Les langues parlées dépendent des personnes dans le salon : avec deux langues, les deux ; sinon, voir `/interpret status`.',
    outputIs: languages =>
      `Langues parlées dans le salon : **${languages}**. Les autres ont des sous-titres.`,
    noVoice: language => `Aucune voix n’est disponible pour cette langue : ${language}.`,

    captionsAre: style => `Sous-titres : **${style}**.`,
    captionsOff: 'Les sous-titres sont désactivés.',
    inThread: 'Ils vont dans un fil séparé.',
    captionsFailed: 'Cela n’a pas fonctionné : je n’ai pas le droit d’écrire là-bas.',

    status: {
      joining: channel => `**Je rejoins ${channel} …**`,
      listening: channel => `🔴 **J’interprète ${channel}**`,
      reconnecting: channel => `**Connexion à ${channel} perdue. Reconnexion …**`,
      paused: channel => `⏸ **L’interprétation de ${channel} est en pause**`,
      since: time => `Lancé ${time}`,
      encrypted: 'Chiffré de bout en bout sur Discord',
      notEncrypted: 'Non chiffré de bout en bout',
      output: output => `Sortie : ${output}`,
      auto: 'automatique',
      spoken: languages => `Langues parlées : ${languages}`,
      written: languages => `Langues des sous-titres : ${languages}`,
      nothing: 'aucune',
      captions: (style, channel) => `Sous-titres : ${style}, dans ${channel}`,
      speakers: 'Personnes :',
      nobody: 'Il n’y a personne dans le salon.',
      optedOut: 'a refusé d’être écouté',
      notOptedIn: 'n’a pas encore accepté',
      noRole: 'n’a pas le rôle',
      from: {
        asked: 'choisie par commande',
        remembered: 'retenue',
        locale: 'd’après son Discord',
        default: 'supposée',
      },
      more: count => `et ${count} de plus`,
      unavailable: '⚠️ Le service de traduction est indisponible. Je continue d’essayer.',
    },

    privacy: {
      info: 'Pendant qu’un salon est interprété, ses voix sont envoyées à un service de traduction, qui les reconnaît et les traduit. Les sous-titres sont des messages ordinaires et restent dans le chat jusqu’à ce qu’on les efface. Tu peux refuser à tout moment avec `/interpret privacy opt-out` : dès lors, je ne reçois plus rien de toi.',
      nothingKept: 'Je ne conserve rien sur toi.',
      keptLanguage: language => `Je retiens ta langue : ${language}.`,
      sessionLanguage: language => `Jusqu’à mon redémarrage, je connais ta langue : ${language}.`,
      youOptedOut: 'Je retiens que tu as refusé d’être écouté.',
      optedOut:
        'Je ne t’écoute plus, ni ici ni sur aucun autre serveur. Tu entends et lis toujours les autres. Pour changer cela, utilise `/interpret privacy opt-in`.',
      optedIn: 'Tu es interprété.',
      optedInLater:
        'Ton refus est effacé. Ici, je n’écoute que les personnes d’accord : appuie sur le bouton de l’avis quand un salon est interprété.',
      noRole: 'Sur ce serveur, seuls les membres avec un certain rôle sont interprétés, et tu ne l’as pas.',
      forgotten:
        'Tout ce que je conservais sur toi est effacé, y compris ton refus, s’il y en avait un. Les sous-titres sont des messages : efface-les toi-même, ou demande à un modérateur.',
    },

    dial: {
      off: 'Les appels téléphoniques ne sont pas configurés sur ce serveur.',
      notYou:
        'Tu ne peux pas appeler de téléphone : il faut un certain rôle, ou la permission de gérer le serveur.',
      noNumber: 'Ce numéro de téléphone n’est pas valide. Indique l’indicatif du pays, comme +33612345678.',
      calling: 'Ça sonne …',
      announced: (name, language) =>
        `${name} appelle un téléphone (${language}) pour l’ajouter à cette conversation. La personne qui répondra vous entendra.`,
      joined: 'Le téléphone a rejoint la conversation.',
      answered: 'On a répondu ; le téléphone est dans la conversation.',
      busy: 'La ligne est occupée.',
      noAnswer: 'Personne n’a répondu.',
      voicemail: 'Une messagerie vocale a répondu, j’ai donc raccroché.',
      canceled: 'L’appel s’est terminé avant que quelqu’un réponde.',
      callFailed: 'L’appel a échoué.',
      refused: 'Les appels vers ce numéro ne sont pas autorisés.',
      capacity: 'Trop d’appels en cours. Réessaie plus tard.',
    },

    invite: {
      byPhone: (numbers, code) => `Par téléphone : appelle le ${numbers} et tape **${code}**.`,
      byDiscord: code => `Depuis un autre serveur : \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Le code est valable ${minutes} minutes, pour toute personne qui l’a. Quiconque rejoint la conversation entend ce salon.`,
      noCodes: 'Trop de codes sont actifs. Réessaie plus tard.',
    },

    listen: {
      link: (url, minutes) =>
        `Écoute ce salon dans ta langue : ${url}\nLe lien est valable ${minutes} minutes pour toutes les personnes à qui tu le donnes : partage-le seulement avec celles qui peuvent entendre ce salon. Les auditeurs ne sont pas entendus. Coupe le son du salon dans Discord pour ne pas l’entendre deux fois.`,
      off: 'L’écoute dans un navigateur n’est pas configurée ici. L’exploitant de ce bot doit définir `publicUrl`.',
    },

    pause: {
      paused:
        'En pause. Je reste dans le salon et n’envoie rien. Pour continuer, utilise `/interpret resume`.',
      resumed: 'L’interprétation continue.',
      already: 'L’interprétation est déjà en pause. Pour continuer, utilise `/interpret resume`.',
      notPaused: 'L’interprétation n’est pas en pause.',
    },

    transcript: {
      file: count =>
        `Interventions jusqu’ici : ${count}. Toi seul vois ce fichier. Les personnes qui ont refusé n’y figurent pas.`,
      shortened: 'Le début manque, car le fichier serait trop grand pour Discord.',
      empty: 'Rien n’a encore été dit.',
      off: 'Aucune transcription n’est conservée ici. L’opérateur de ce bot doit l’activer.',
    },

    buttons: {
      agree: 'Interprète-moi',
      pause: 'Pause',
      resume: 'Reprendre',
      optOut: 'Ne m’écoute pas',
      optIn: 'Écoute-moi de nouveau',
      privacy: 'Que devient ma voix ?',
      language: 'Je parle…',
    },
  },
}
