import type { DiscordTexts } from '../en/discord.ts'

export const DISCORD: DiscordTexts = {
  channel: {
    listening: (by, channel) =>
      `🔴 **Interpretazione dal vivo in ${channel}**, avviata da ${by}. Ciò che vi si dice viene inviato a un servizio di traduzione e mostrato nei sottotitoli.`,
    newcomers: (names, channel) =>
      `🔴 ${names}: ciò che si dice in ${channel} viene inviato a un servizio di traduzione e mostrato nei sottotitoli.`,
    keptNothing: 'Non si registra e non si conserva nulla.',
    notRecorded: 'Non si registra nulla.',
    recordedOnRequest: 'La conversazione può essere registrata su richiesta.',
    recorded: 'La conversazione viene registrata.',
    textUntilEnd:
      'Ciò che si dice viene conservato come testo fino alla fine dell’interpretazione, per `/interpret transcript`.',
    textLonger: 'Ciò che si dice viene conservato come testo, anche dopo la fine dell’interpretazione.',
    toOptOut:
      'Non vuole essere ascoltato? Prema il pulsante o scriva `/interpret privacy opt-out`: ha effetto immediato.',
    toOptIn:
      'Ascolto solo chi è d’accordo: prema il pulsante o scriva `/interpret privacy opt-in`. Fino ad allora la sua voce non viene inviata. Può cambiare idea in ogni momento.',
    onlyRoles: roles =>
      `Ascolto solo i membri con ${roles}. Se è uno di loro e non vuole, prema il pulsante o scriva \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'Per scegliere la sua lingua, scriva `/interpret language`.',
    paused: (by, channel) =>
      `⏸ ${by} ha messo in pausa l’interpretazione in ${channel}. Non ascolto nessuno.`,
    resumed: channel => `▶ L’interpretazione in ${channel} continua.`,
    ended: channel => `⚪ L’interpretazione in ${channel} è finita. Non ascolto più.`,
    kicked: 'Sono stato disconnesso, quindi mi sono fermato.',
    taken: 'Un’altra funzione di questo bot usa ora la sua voce qui, quindi ho smesso di interpretare.',
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
    serviceUnavailable:
      '⚠️ Il servizio di traduzione non è disponibile. Continuo a provare; fino ad allora non ci sono sottotitoli.',
    untranslated: names => `⚠️ Al momento non posso tradurre tutti. Manca: ${names}. Continuo a provare.`,
    serviceBack: 'Il servizio di traduzione non è stato disponibile per un po’. Ora funziona.',
    headphones: name => `${name}, il suo microfono capta ciò che dico. Usi le cuffie, per favore.`,
    thread: 'Sottotitoli',
    telephone: 'telefono',
  },
  commands: {
    interpret: ['interpreta', 'Interpretazione dal vivo in un canale vocale: ognuno parla la propria lingua'],
    start: ['avvia', 'Avviare l’interpretazione di un canale vocale'],
    stop: ['ferma', 'Fermare l’interpretazione'],
    language: ['lingua', 'Scegliere la lingua che parli e leggi'],
    output: ['uscita', 'Scegliere le lingue parlate nel canale'],
    captions: ['sottotitoli', 'Scegliere lo stile e la posizione dei sottotitoli'],
    status: ['stato', 'Mostrare che cosa viene interpretato, e per chi'],
    privacy: ['privacy', 'Come viene usata la tua voce, e come rifiutare'],
    info: ['info', 'Come viene usata la tua voce, e che cosa si conserva su di te'],
    optOut: ['non-ascoltarmi', 'Smettere di ascoltarmi, ora e in futuro'],
    optIn: ['ascoltami', 'Ascoltarmi di nuovo'],
    forget: ['dimentica', 'Cancellare tutto quello che si conserva su di te'],
    dial: ['chiama', 'Chiamare un telefono e aggiungerlo alla conversazione'],
    invite: ['invita', 'Ottenere un codice per far entrare altri nella conversazione'],
    listen: ['ascolta', 'Ottieni un link per ascoltare in qualsiasi lingua nel browser'],
    pause: ['pausa', 'Mettere in pausa: non si invia nulla e il bot resta nel canale'],
    resume: ['riprendi', 'Riprendere l’interpretazione dopo una pausa'],
    transcript: ['trascrizione', 'Ottenere quanto detto finora nella tua lingua, in un file privato'],
    options: {
      channel: ['canale', 'Canale vocale (predefinito: quello in cui sei)'],
      captionsOnly: ['solo-sottotitoli', 'Scrivere sottotitoli senza parlare nel canale'],
      roomCode: ['codice', 'Codice della conversazione in cui entrare'],
      language: ['lingua', 'Inizia a scriverne il nome'],
      user: ['utente', 'Un altro membro (solo moderatori)'],
      remember: ['ricorda', 'Ricordarla per la prossima volta (predefinito: no)'],
      first: ['prima', 'Una lingua, o automatico'],
      second: ['seconda', 'Un’altra lingua'],
      style: ['stile', 'Stile dei sottotitoli'],
      thread: ['thread', 'Mettere i sottotitoli in un thread separato'],
      number: ['numero', 'Numero di telefono, come +393471234567'],
      theirLanguage: ['lingua', 'Lingua della persona al telefono'],
      format: ['formato', 'Formato del file (predefinito: testo)'],
    },
    styles: {
      embed: 'A colori',
      plain: 'Testo semplice',
      webhook: 'Con nome e immagine di chi parla',
      off: 'Nessun sottotitolo',
    },
    formats: { text: 'Testo', srt: 'Sottotitoli (SRT)', vtt: 'Sottotitoli (WebVTT)' },
    readOnly: 'solo ascolto e lettura',
    auto: 'Automatico: in base alle persone nel canale',
  },
  replies: {
    onlyInServers: 'Funziona solo nei server.',
    notInvited: url =>
      `Non sono membro di questo server: sono installati solo i miei comandi. Chiedi a qualcuno che può gestire il server di aggiungermi come bot: ${url}`,
    notThisServer: 'Non sono configurato per questo server.',
    unknownCommand: 'Comando sconosciuto. Forse Discord mostra un vecchio elenco: riavvialo e riprova.',
    failed: 'Qualcosa è andato storto da parte nostra. Riprova tra un momento.',
    tooFast: seconds => `Troppe richieste. Aspetta ${seconds} s.`,
    notRunning: 'Qui ora non si interpreta nulla. Per cominciare, usa `/interpret start`.',
    notYours:
      'Possono modificarlo solo le persone in quel canale vocale, chi l’ha avviato e i membri che possono gestire i canali.',
    moderatorsOnly:
      'Per altri possono farlo solo i membri che possono silenziare altri membri o gestire i canali.',

    started: (channel, text) =>
      `Sto interpretando ${channel}. Parla la tua lingua; i sottotitoli sono in ${text}. Per scegliere la tua lingua, usa \`/interpret language\`.`,
    startedCaptionsOnly: (channel, text) =>
      `Scrivo i sottotitoli di ${channel} in ${text}, senza parlare. Per scegliere la tua lingua, usa \`/interpret language\`.`,
    runningHere: 'Questo canale è già in interpretazione.',
    runningElsewhere: channel =>
      `Sto già interpretando ${channel}, e posso essere in un solo canale per server. Per fermarmi lì, usa \`/interpret stop\`.`,
    joinFirst: 'Entra prima in un canale vocale o indicane uno.',
    beThere: channel =>
      `Entra prima in ${channel}. Da fuori possono avviare solo i membri che possono gestire i canali.`,
    noVoiceChannel: channel => `${channel} non è un canale vocale.`,
    notAllowedThere: channel => `Non hai il permesso di entrare in ${channel}.`,
    restChannel: channel => `${channel} è il canale di inattività, dove non si può parlare.`,
    channelFull: (channel, limit) =>
      `${channel} è pieno (${limit}). Aumenta il limite di utenti o permettimi di spostare i membri.`,
    missing: (channel, permissions) => `In ${channel} mi servono questi permessi:\n${permissions}`,
    giveThem: role => `Può darmeli chi gestisce il server: modifica il canale, Permessi, ruolo **${role}**.`,
    withoutThem: 'Fino ad allora i sottotitoli funzionano senza.',
    timedOut: 'Un moderatore mi ha messo in timeout: finché dura non posso né scrivere né parlare.',
    noThreadHere: 'La chat di un canale vocale non ha thread, quindi i sottotitoli vanno nella chat stessa.',
    wrongCode: 'Nessuna conversazione ha questo codice. I codici scadono; chiedine uno nuovo.',
    tooManyCodes: 'Troppi codici sbagliati. Aspetta qualche minuto.',
    noCapacity: 'Tutti i posti per le conversazioni sono occupati. Riprova più tardi.',
    ends: {
      kicked: 'Un moderatore mi ha disconnesso mentre entravo.',
      taken: channel =>
        `Un’altra funzione di questo bot, come la musica, sta usando la sua voce in ${channel}. Terminala prima: posso stare in un solo canale vocale.`,
      takenSomewhere:
        'Un’altra funzione di questo bot, come la musica, sta usando la sua voce in questo server. Terminala prima: posso stare in un solo canale vocale.',
      permissions: 'Non sono riuscito a entrare: manca un permesso.',
      channelGone: 'Il canale non esiste più.',
      encryption: 'La cifratura con Discord non è riuscita, quindi sono uscito. Riprova tra un momento.',
      refused: code => `Discord ha rifiutato la connessione (codice ${code}).`,
      unreachable: attempts =>
        `Nessuna connessione vocale dopo ${attempts} tentativi. Riprova o scegli un’altra regione per il canale.`,
      closing: 'Mi sto riavviando. Riprova tra un minuto.',
      other: 'L’interpretazione è finita subito dopo l’avvio.',
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
      ManageWebhooks: 'Gestire webhook',
    },

    stopped: channel => `Non interpreto più ${channel}.`,

    languageIs: language => `La tua lingua è **${language}**.`,
    languageOf: (name, language) => `La lingua di ${name} è **${language}**.`,
    keptUntilRestart: 'La conservo fino al mio riavvio; con `remember`, più a lungo.',
    remembered: 'La ricorderò. Per cancellarla, usa `/interpret privacy forget`.',
    notUnderstood: language =>
      `Qui puoi sentire e leggere ${language}, ma non lo riconosco: ciò che si dice in questa lingua non viene tradotto.`,
    unknownLanguage: text => `“${text}” non è una lingua che conosco.`,
    perhaps: languages => `Prova: ${languages}`,
    languagesUnavailable:
      'Non riesco a ottenere le lingue del servizio di traduzione. Riprova tra un momento.',
    stillOptedOut:
      'Hai chiesto di non essere ascoltato, quindi non ti ascolto. Per cambiarlo, usa `/interpret privacy opt-in`.',

    outputAuto:
      'Le lingue parlate dipendono dalle persone nel canale: con due lingue, entrambe; altrimenti, vedi `/interpret status`.',
    outputIs: languages => `Lingue parlate nel canale: **${languages}**. Gli altri hanno i sottotitoli.`,
    noVoice: language => `Nessuna voce disponibile per ${language}.`,

    captionsAre: style => `Sottotitoli: **${style}**.`,
    captionsOff: 'I sottotitoli sono disattivati.',
    inThread: 'Vanno in un thread separato.',
    captionsFailed: 'Non è riuscito: non ho il permesso di scrivere lì.',

    status: {
      joining: channel => `**Sto entrando in ${channel} …**`,
      listening: channel => `🔴 **Sto interpretando ${channel}**`,
      reconnecting: channel => `**Connessione con ${channel} persa. Riconnessione …**`,
      paused: channel => `⏸ **L’interpretazione di ${channel} è in pausa**`,
      since: time => `Avviato ${time}`,
      encrypted: 'Con crittografia end-to-end su Discord',
      notEncrypted: 'Senza crittografia end-to-end',
      output: output => `Uscita: ${output}`,
      auto: 'automatica',
      spoken: languages => `Lingue parlate ora: ${languages}`,
      written: languages => `Sottotitoli ora: ${languages}`,
      nothing: 'nessuna',
      captions: (style, channel) => `Sottotitoli: ${style}, in ${channel}`,
      speakers: 'Persone:',
      nobody: 'Non c’è nessuno nel canale.',
      optedOut: 'non vuole essere ascoltato',
      notOptedIn: 'non ha ancora accettato',
      noRole: 'non ha il ruolo',
      from: {
        asked: 'scelta con un comando',
        remembered: 'ricordata',
        locale: 'dalle impostazioni di Discord',
        default: 'presunta',
      },
      more: count => `e altri ${count}`,
      unavailable: '⚠️ Il servizio di traduzione non è disponibile. Continuo a provare.',
    },

    privacy: {
      info: 'Mentre un canale viene interpretato, le sue voci vanno a un servizio di traduzione, che le riconosce e le traduce. I sottotitoli sono normali messaggi e restano nella chat finché non vengono cancellati. Puoi rifiutare in ogni momento con `/interpret privacy opt-out`: da allora non ricevo più nulla di tuo.',
      nothingKept: 'Non conservo nulla su di te.',
      keptLanguage: language => `Ricordo la tua lingua: ${language}.`,
      sessionLanguage: language => `Fino al mio riavvio conosco la tua lingua: ${language}.`,
      youOptedOut: 'Ricordo che hai chiesto di non essere ascoltato.',
      optedOut:
        'Non ti ascolto più, né qui né in altri server. Continui a sentire e leggere gli altri. Per cambiarlo, usa `/interpret privacy opt-in`.',
      optedIn: 'Ora ti interpreto.',
      optedInLater:
        'Il tuo rifiuto è cancellato. Qui ascolto solo chi è d’accordo: premi il pulsante dell’avviso quando un canale viene interpretato.',
      noRole: 'In questo server vengono interpretati solo i membri con un certo ruolo, e tu non lo hai.',
      forgotten:
        'Ho cancellato tutto quello che conservavo su di te, anche il tuo rifiuto, se c’era. I sottotitoli sono messaggi: cancellali tu o chiedi a un moderatore.',
    },

    dial: {
      off: 'Le chiamate telefoniche non sono configurate su questo server.',
      notYou: 'Non puoi chiamare telefoni: serve un certo ruolo o il permesso di gestire il server.',
      noNumber:
        'Questo numero di telefono non è valido. Scrivilo con il prefisso internazionale, come +393471234567.',
      calling: 'Squilla …',
      announced: (name, language) =>
        `${name} chiama un telefono (${language}) per aggiungerlo a questa conversazione. Chi risponde vi sentirà.`,
      joined: 'Il telefono è entrato nella conversazione.',
      answered: 'Hanno risposto e sono nella conversazione.',
      busy: 'La linea è occupata.',
      noAnswer: 'Nessuna risposta.',
      voicemail: 'Ha risposto la segreteria telefonica, quindi ho riattaccato.',
      canceled: 'La chiamata è finita prima che qualcuno rispondesse.',
      callFailed: 'La chiamata non è riuscita.',
      refused: 'Le chiamate a questo numero non sono consentite.',
      capacity: 'Ci sono troppe chiamate in corso. Riprova più tardi.',
    },

    invite: {
      byPhone: (numbers, code) => `Per telefono: chiama ${numbers} e digita **${code}**.`,
      byDiscord: code => `Da un altro server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Il codice vale ${minutes} minuti per chiunque lo abbia. Chi entra sente questo canale.`,
      noCodes: 'Ci sono troppi codici attivi. Riprova più tardi.',
    },

    listen: {
      link: (url, minutes) =>
        `Ascolta questo canale nella tua lingua: ${url}\nIl link vale ${minutes} minuti per tutte le persone a cui lo dai: condividilo solo con chi può sentire questo canale. Chi ascolta non viene sentito. Silenzia il canale su Discord per non sentirlo due volte.`,
      off: 'Qui l’ascolto in un browser non è configurato. Il gestore di questo bot deve impostare `publicUrl`.',
    },

    pause: {
      paused: 'In pausa. Resto nel canale e non invio nulla. Per continuare, usa `/interpret resume`.',
      resumed: 'L’interpretazione continua.',
      already: 'L’interpretazione è già in pausa. Per continuare, usa `/interpret resume`.',
      notPaused: 'L’interpretazione non è in pausa.',
    },

    transcript: {
      file: count =>
        `Interventi finora: ${count}. Solo tu vedi questo file. Chi ha rifiutato non vi compare.`,
      shortened: 'Manca l’inizio, perché il file sarebbe troppo grande per Discord.',
      empty: 'Non è stato ancora detto nulla.',
      off: 'Qui non si conservano trascrizioni. Il gestore di questo bot deve attivarle.',
    },

    buttons: {
      agree: 'Interpretami',
      pause: 'Pausa',
      resume: 'Riprendi',
      optOut: 'Non ascoltarmi',
      optIn: 'Ascoltami di nuovo',
      privacy: 'Che cosa succede alla mia voce?',
      language: 'Io parlo…',
    },
  },
}
