import type { Words } from './words.ts'

export const ITALIAN: Words = {
  commands: {
    interpret: ['interpreta', 'Interpretare dal vivo un canale vocale: ognuno parla la propria lingua'],
    start: ['avvia', 'Cominciare a interpretare un canale vocale'],
    stop: ['ferma', 'Smettere di interpretare'],
    language: ['lingua', 'Dire quale lingua parli e leggi'],
    output: ['uscita', 'Scegliere che cosa si sente nel canale'],
    captions: ['sottotitoli', 'Scegliere come sono i sottotitoli e dove vanno'],
    status: ['stato', 'Mostrare che cosa si interpreta, e per chi'],
    privacy: ['privacy', 'Che cosa succede alla tua voce, e come dire di no'],
    info: ['info', 'Che cosa succede alla tua voce, e che cosa si conserva su di te'],
    optOut: ['non-ascoltarmi', 'Non ascoltarmi, né ora né in futuro'],
    optIn: ['ascoltami', 'Ascoltarmi di nuovo'],
    forget: ['dimentica', 'Cancellare tutto quello che si conserva su di te'],
    dial: ['chiama', 'Chiamare un telefono nella conversazione'],
    invite: ['invita', 'Avere un codice con cui altri entrano nella conversazione'],
    options: {
      channel: ['canale', 'Il canale vocale (altrimenti quello in cui sei)'],
      captionsOnly: ['solo-sottotitoli', 'Scrivere sottotitoli senza dire nulla nel canale'],
      roomCode: ['codice', 'Il codice di una conversazione in cui entrare'],
      language: ['lingua', 'Comincia a scriverne il nome'],
      user: ['utente', 'Qualcun altro (solo moderatori)'],
      remember: ['ricorda', 'Conservarla per la prossima volta (altrimenti no)'],
      first: ['prima', 'Una lingua, o automatico'],
      second: ['seconda', 'Un’altra lingua'],
      style: ['stile', 'Come sono i sottotitoli'],
      thread: ['thread', 'In un thread tutto loro'],
      number: ['numero', 'Il numero di telefono, come +393471234567'],
      theirLanguage: ['lingua', 'Che cosa parla la persona al telefono'],
    },
    styles: { embed: 'A colori', plain: 'Testo semplice', off: 'Nessun sottotitolo' },
    readOnly: 'solo da sentire e leggere',
    auto: 'Automatico: come serve alle persone nel canale',
  },
  answers: {
    onlyInServers: 'Funziona solo nei server.',
    notInvited: url =>
      `Non sono membro di questo server: sono stati installati solo i miei comandi. Chiedi a chi può gestire il server di aggiungermi come bot: ${url}`,
    notThisServer: 'Non sono configurato per questo server.',
    unknownCommand:
      'Non conosco questo comando. Forse Discord mostra un vecchio elenco: riavvialo e riprova.',
    failed: 'Non è riuscito, e non è colpa tua. Riprova tra un momento.',
    tooFast: seconds => `Era molto in una volta. Aspetta ${seconds} s.`,
    notRunning: 'Qui ora non si interpreta nulla. `/interpret start` comincia.',
    notYours:
      'Possono cambiarlo solo le persone in quel canale vocale, chi l’ha avviato, e chi può gestire i canali.',
    moderatorsOnly: 'Per altri può farlo solo chi può silenziare i membri o gestire i canali.',

    started: (channel, text) =>
      `Interpreto ${channel}. Parla la tua lingua; i sottotitoli sono in ${text}. \`/interpret language\` sceglie la tua.`,
    startedCaptionsOnly: (channel, text) =>
      `Scrivo i sottotitoli di ${channel} in ${text}; non si dice nulla. \`/interpret language\` sceglie la tua lingua.`,
    runningHere: 'Questo canale è già interpretato.',
    runningElsewhere: channel =>
      `Interpreto già ${channel}, e posso essere in un solo canale per server. \`/interpret stop\` lo ferma lì.`,
    joinFirst: 'Entra prima in un canale vocale, o indicane uno.',
    beThere: channel => `Entra prima in ${channel}. Da fuori può avviare solo chi può gestire i canali.`,
    noVoiceChannel: channel => `${channel} non è un canale vocale.`,
    notAllowedThere: channel => `Tu non puoi entrare in ${channel}.`,
    restChannel: channel => `${channel} è il canale degli assenti: lì nessuno può parlare.`,
    channelFull: (channel, limit) =>
      `${channel} è pieno (${limit}). Alza il suo limite di utenti, o permettimi di spostare i membri.`,
    missing: (channel, permissions) => `In ${channel} mi manca:\n${permissions}`,
    giveThem: role => `Può darmelo chi gestisce il server: modifica il canale, Permessi, ruolo **${role}**.`,
    withoutThem: 'Fino ad allora i sottotitoli ne fanno a meno.',
    timedOut: 'Un moderatore mi ha messo in timeout: finché dura non posso né scrivere né parlare.',
    noThreadHere: 'Nella chat di un canale vocale non ci sono thread: i sottotitoli vanno nella chat stessa.',
    wrongCode: 'Non c’è nessuna conversazione con questo codice. I codici scadono; chiedine uno nuovo.',
    tooManyCodes: 'Troppi codici sbagliati. Aspetta qualche minuto.',
    noCapacity: 'Ci sono già tante conversazioni quante possibile. Riprova più tardi.',
    ends: {
      kicked: 'Un moderatore mi ha disconnesso mentre entravo.',
      permissions: 'Discord non mi ha fatto entrare: manca un permesso.',
      channelGone: 'Il canale non c’è più.',
      encryption:
        'Non sono riuscito ad accordarmi con Discord sulla cifratura, quindi sono uscito. Riprova tra un momento.',
      refused: code => `Discord ha rifiutato la connessione (codice ${code}).`,
      unreachable: attempts =>
        `Ho provato ${attempts} volte e non ho avuto una connessione vocale. Riprova, o scegli un’altra regione per il canale.`,
      closing: 'Mi stanno riavviando. Riprova tra un minuto.',
      other: 'L’interpretazione è finita appena cominciata.',
    },
    permissions: {
      ViewChannel: 'Visualizzare il canale',
      Connect: 'Connettersi',
      Speak: 'Parlare',
      RequestToSpeak: 'Chiedere di parlare',
      SendMessages: 'Inviare messaggi',
      EmbedLinks: 'Incorporare link',
      ReadMessageHistory: 'Leggere la cronologia messaggi',
      CreatePublicThreads: 'Creare thread pubblici',
      SendMessagesInThreads: 'Inviare messaggi nei thread',
      ChangeNickname: 'Cambiare il proprio nickname',
    },

    stopped: channel => `Non interpreto più ${channel}.`,

    languageIs: language => `La tua lingua è **${language}**.`,
    languageOf: (name, language) => `La lingua di ${name} è **${language}**.`,
    keptUntilRestart: 'La conservo finché non mi riavviano; con `remember` più a lungo.',
    remembered: 'La ricordo. `/interpret privacy forget` la cancella.',
    notUnderstood: language =>
      `${language} qui si può sentire e leggere, ma non riconoscere: quello che si dice in questa lingua non si traduce.`,
    unknownLanguage: text => `“${text}” non è una lingua che ho.`,
    perhaps: languages => `Forse: ${languages}`,
    languagesAway: 'Ora non posso chiedere al servizio di traduzione le sue lingue. Riprova tra un momento.',
    stillOptedOut:
      'Hai chiesto di non essere ascoltato, quindi nessuno ti ascolta. `/interpret privacy opt-in` lo cambia.',

    outputAuto:
      'Quello che si sente segue le persone nel canale: con due lingue, tutte e due; con una o molte, vedi `/interpret status`.',
    outputIs: languages => `Nel canale si sente: **${languages}**. Per gli altri continuano i sottotitoli.`,
    noVoice: language => `Non c’è una voce per ${language}.`,

    captionsAre: style => `Sottotitoli: **${style}**.`,
    captionsOff: 'Non si scrivono più sottotitoli.',
    inThread: 'Vanno in un thread tutto loro.',
    captionsFailed: 'Non è riuscito: lì non posso scrivere.',

    status: {
      joining: channel => `**Entro in ${channel} …**`,
      listening: channel => `🔴 **Interpreto ${channel}**`,
      reconnecting: channel => `**La connessione con ${channel} si è interrotta; provo a riaverla.**`,
      since: time => `Da ${time}`,
      encrypted: 'Cifrato da un capo all’altro fin dove arriva Discord',
      notEncrypted: 'Senza cifratura da un capo all’altro',
      output: output => `Uscita: ${output}`,
      auto: 'automatica',
      spoken: languages => `Si sente ora: ${languages}`,
      written: languages => `Sottotitoli ora: ${languages}`,
      nothing: 'nulla',
      captions: (style, channel) => `Sottotitoli: ${style}, in ${channel}`,
      speakers: 'Persone:',
      nobody: 'Non si ascolta ancora nessuno.',
      optedOut: 'ha detto di no, non è ascoltato',
      from: {
        asked: 'come ha detto',
        remembered: 'ricordata',
        locale: 'dal suo Discord',
        default: 'supposta',
      },
      more: count => `e altri ${count}`,
      away: '⚠️ Il servizio di traduzione ora non si raggiunge. Continuo a provare.',
    },

    privacy: {
      info:
        'Mentre si interpreta un canale, le voci vanno a un servizio di traduzione, che le riconosce e le traduce. Non ' +
        'conservo registrazioni. I sottotitoli sono normali messaggi e restano nella chat finché non si cancellano. ' +
        'Puoi dire di no in ogni momento con `/interpret privacy opt-out`: da allora non ricevo più nulla di tuo.',
      nothingKept: 'Non conservo nulla su di te.',
      keptLanguage: language => `Ricordo la tua lingua: ${language}.`,
      sessionLanguage: language => `Finché non mi riavviano so la tua lingua: ${language}.`,
      youOptedOut: 'Ricordo che hai chiesto di non essere ascoltato.',
      optedOut:
        'Non ti ascolto più, né qui né in altri server. Continui a sentire e leggere gli altri. ' +
        '`/interpret privacy opt-in` lo cambia.',
      optedIn: 'Da ora sei di nuovo interpretato.',
      forgotten:
        'Tutto quello che conservavo su di te è cancellato, anche il tuo no, se c’era. I sottotitoli sono messaggi: cancellali tu, o chiedi a un moderatore.',
    },

    dial: {
      off: 'In questo server non si possono chiamare telefoni.',
      notYou: 'Non puoi chiamare telefoni: serve un certo ruolo, o il permesso di gestire il server.',
      noNumber: 'Questo non è un numero di telefono. Scrivilo con il suo paese, come +393471234567.',
      calling: 'Sta squillando …',
      announced: (name, language) =>
        `${name} chiama un telefono (${language}) in questa conversazione. Chi risponde vi sentirà.`,
      joined: 'Il telefono è entrato nella conversazione.',
      answered: 'Hanno risposto e sono nella conversazione.',
      busy: 'La linea è occupata.',
      noAnswer: 'Nessuno ha risposto.',
      voicemail: 'Ha risposto una segreteria; ho riattaccato.',
      cancelled: 'La chiamata è finita prima che qualcuno rispondesse.',
      callFailed: 'La chiamata non è riuscita.',
      refused: 'Questo numero non si può chiamare.',
      capacity: 'Ci sono troppe chiamate in corso. Riprova più tardi.',
    },

    invite: {
      byPhone: (numbers, code) => `Per telefono: chiama ${numbers} e digita **${code}**.`,
      byDiscord: code => `Da un altro server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Il codice vale ${minutes} minuti, per tutti quelli che l’hanno. Chi entra sente questo canale.`,
      noCodes: 'Ora ci sono troppi codici in giro. Riprova più tardi.',
    },

    buttons: {
      optOut: 'Non ascoltarmi',
      optIn: 'Ascoltami di nuovo',
      privacy: 'Che cosa succede alla mia voce?',
    },
  },
}
