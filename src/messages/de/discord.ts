import type { DiscordTexts } from '../en/discord.ts'

export const DISCORD: DiscordTexts = {
  channel: {
    listening: (by, channel) =>
      `🔴 **In ${channel} wird gedolmetscht**, gestartet von ${by}. Was dort gesagt wird, geht an einen Übersetzungsdienst und erscheint als Untertitel.`,
    newcomers: (names, channel) =>
      `🔴 ${names}: Was in ${channel} gesagt wird, geht an einen Übersetzungsdienst und erscheint als Untertitel.`,
    keptNothing: 'Nichts wird aufgezeichnet oder aufbewahrt.',
    notRecorded: 'Nichts wird aufgezeichnet.',
    recordedOnRequest: 'Das Gespräch kann auf Wunsch aufgezeichnet werden.',
    recorded: 'Das Gespräch wird aufgezeichnet.',
    textUntilEnd:
      'Das Gesagte wird als Text aufbewahrt, bis das Dolmetschen endet, für `/interpret transcript`.',
    textLonger: 'Das Gesagte wird als Text aufbewahrt, auch nach dem Ende des Dolmetschens.',
    toOptOut:
      'Sie möchten das nicht? Drücken Sie den Knopf oder tippen Sie `/interpret privacy opt-out`: Das wirkt sofort.',
    toOptIn:
      'Ich höre nur denen zu, die zustimmen: Drücken Sie den Knopf oder tippen Sie `/interpret privacy opt-in`. Bis dahin wird Ihre Stimme nicht gesendet. Sie können jederzeit widerrufen.',
    onlyRoles: roles =>
      `Ich höre nur Mitgliedern mit ${roles} zu. Gehören Sie dazu und möchten das nicht, drücken Sie den Knopf oder tippen Sie \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'Ihre Sprache legen Sie mit `/interpret language` fest.',
    paused: (by, channel) => `⏸ ${by} hat das Dolmetschen in ${channel} pausiert. Ich höre niemandem zu.`,
    resumed: channel => `▶ Das Dolmetschen in ${channel} geht weiter.`,
    ended: channel => `⚪ Das Dolmetschen in ${channel} ist beendet. Ich höre nicht mehr zu.`,
    kicked: 'Ich wurde getrennt und habe deshalb aufgehört.',
    taken:
      'Ein anderer Teil dieses Bots nutzt jetzt hier die Sprachverbindung, deshalb dolmetsche ich nicht weiter.',
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
    serviceUnavailable:
      '⚠️ Der Übersetzungsdienst ist nicht erreichbar. Ich versuche es weiter; bis dahin gibt es keine Untertitel.',
    untranslated: names =>
      `⚠️ Im Moment kann ich nicht alle übersetzen. Es fehlt: ${names}. Ich versuche es weiter.`,
    serviceBack: 'Der Übersetzungsdienst war eine Weile nicht erreichbar. Er ist wieder da.',
    headphones: name => `${name}, Ihr Mikrofon nimmt auf, was ich sage. Bitte benutzen Sie Kopfhörer.`,
    thread: 'Untertitel',
    telephone: 'Telefon',
  },
  commands: {
    interpret: ['dolmetschen', 'Live-Dolmetschen im Sprachkanal: Alle sprechen ihre eigene Sprache'],
    start: ['start', 'Dolmetschen in einem Sprachkanal starten'],
    stop: ['stopp', 'Das Dolmetschen beenden'],
    language: ['sprache', 'Sprache festlegen, die du sprichst und liest'],
    output: ['ausgabe', 'Sprachen wählen, die im Kanal gesprochen werden'],
    captions: ['untertitel', 'Aussehen und Ort der Untertitel wählen'],
    status: ['status', 'Zeigen, was gedolmetscht wird und für wen'],
    privacy: ['datenschutz', 'Was mit deiner Stimme geschieht und wie du widersprichst'],
    info: ['info', 'Was mit deiner Stimme geschieht und was über dich gespeichert ist'],
    optOut: ['nicht-zuhören', 'Mir nicht zuhören, jetzt und künftig'],
    optIn: ['zuhören', 'Mir wieder zuhören'],
    forget: ['vergessen', 'Alles löschen, was über dich gespeichert ist'],
    dial: ['anrufen', 'Ein Telefon in das Gespräch holen'],
    invite: ['einladen', 'Code abrufen, mit dem andere dem Gespräch beitreten'],
    listen: ['zuhören', 'Link abrufen, um dies im Browser in jeder Sprache zu hören'],
    pause: ['pause', 'Dolmetschen pausieren: Nichts wird gesendet, der Bot bleibt im Kanal'],
    resume: ['weiter', 'Das Dolmetschen nach einer Pause fortsetzen'],
    transcript: ['mitschrift', 'Das bisher Gesagte in deiner Sprache als private Datei abrufen'],
    options: {
      channel: ['kanal', 'Sprachkanal (Standard: der, in dem du bist)'],
      captionsOnly: ['nur-untertitel', 'Nur Untertitel schreiben, im Kanal nichts sprechen'],
      roomCode: ['code', 'Code des Gesprächs, dem du beitreten willst'],
      language: ['sprache', 'Fang an, den Namen zu tippen'],
      user: ['mitglied', 'Ein anderes Mitglied (nur Moderatoren)'],
      remember: ['merken', 'Für das nächste Mal merken (Standard: nein)'],
      first: ['erste', 'Eine Sprache oder automatisch'],
      second: ['zweite', 'Eine weitere Sprache'],
      style: ['stil', 'Stil der Untertitel'],
      thread: ['thread', 'Untertitel in einen eigenen Thread schreiben'],
      number: ['nummer', 'Telefonnummer, etwa +4915112345678'],
      theirLanguage: ['sprache', 'Sprache der Person am Telefon'],
      format: ['format', 'Format der Datei (Standard: Text)'],
    },
    styles: {
      embed: 'Farbig',
      plain: 'Einfacher Text',
      webhook: 'Mit Name und Bild der Sprechenden',
      off: 'Keine Untertitel',
    },
    formats: { text: 'Text', srt: 'Untertitel (SRT)', vtt: 'Untertitel (WebVTT)' },
    readOnly: 'nur zum Hören und Lesen',
    auto: 'Automatisch: nach den Leuten im Kanal',
  },
  replies: {
    onlyInServers: 'Das geht nur auf Servern.',
    notInvited: url =>
      `Ich bin kein Mitglied dieses Servers: Hier sind nur meine Befehle installiert. Bitte jemanden, der den Server verwalten darf, mich als Bot hinzuzufügen: ${url}`,
    notThisServer: 'Für diesen Server bin ich nicht eingerichtet.',
    unknownCommand:
      'Unbekannter Befehl. Vielleicht zeigt Discord eine veraltete Liste: Starte es neu und versuche es noch einmal.',
    failed: 'Bei uns ist etwas schiefgegangen. Versuche es gleich noch einmal.',
    tooFast: seconds => `Zu viele Anfragen. Warte bitte ${seconds} s.`,
    notRunning: 'Hier wird gerade nichts gedolmetscht. Starte mit `/interpret start`.',
    notYours:
      'Das können nur Leute in diesem Sprachkanal ändern, die Person, die es gestartet hat, und Mitglieder, die Kanäle verwalten dürfen.',
    moderatorsOnly:
      'Das können für andere nur Mitglieder tun, die Mitglieder stummschalten oder Kanäle verwalten dürfen.',

    started: (channel, text) =>
      `Ich dolmetsche ${channel}. Sprich deine eigene Sprache; Untertitel stehen in ${text}. Deine Sprache legst du mit \`/interpret language\` fest.`,
    startedCaptionsOnly: (channel, text) =>
      `Ich schreibe Untertitel für ${channel} in ${text}, ohne zu sprechen. Deine Sprache legst du mit \`/interpret language\` fest.`,
    runningHere: 'Dieser Kanal wird schon gedolmetscht.',
    runningElsewhere: channel =>
      `Ich dolmetsche schon ${channel} und kann pro Server nur in einem Kanal sein. Mit \`/interpret stop\` beendest du es dort.`,
    joinFirst: 'Geh zuerst in einen Sprachkanal oder nenne einen.',
    beThere: channel =>
      `Geh zuerst in ${channel}. Von außen können es nur Mitglieder starten, die Kanäle verwalten dürfen.`,
    noVoiceChannel: channel => `${channel} ist kein Sprachkanal.`,
    notAllowedThere: channel => `Du hast keine Berechtigung, ${channel} beizutreten.`,
    restChannel: channel => `${channel} ist der Kanal für Inaktive: Dort kann niemand sprechen.`,
    channelFull: (channel, limit) =>
      `${channel} ist voll (${limit}). Erhöhe das Nutzerlimit oder erlaube mir, Mitglieder zu verschieben.`,
    missing: (channel, permissions) => `In ${channel} brauche ich diese Berechtigungen:\n${permissions}`,
    giveThem: role =>
      `Wer den Server verwaltet, kann sie mir geben: Kanal bearbeiten, Berechtigungen, Rolle **${role}**.`,
    withoutThem: 'Bis dahin funktionieren die Untertitel auch ohne.',
    timedOut:
      'Ein Moderator hat mir einen Timeout gegeben: Bis er vorbei ist, kann ich weder schreiben noch sprechen.',
    noThreadHere:
      'Im Chat eines Sprachkanals gibt es keine Threads, deshalb stehen die Untertitel im Chat selbst.',
    wrongCode: 'Zu diesem Code gibt es kein Gespräch. Codes laufen ab; bitte um einen neuen.',
    tooManyCodes: 'Zu viele falsche Codes. Warte bitte ein paar Minuten.',
    noCapacity: 'Alle Plätze für Gespräche sind belegt. Versuche es später noch einmal.',
    ends: {
      kicked: 'Ein Moderator hat mich getrennt, während ich beitrat.',
      taken: channel =>
        `Ein anderer Teil dieses Bots, etwa Musik, nutzt die Sprachverbindung in ${channel}. Beende das zuerst: Ich kann nur in einem Sprachkanal sein.`,
      takenSomewhere:
        'Ein anderer Teil dieses Bots, etwa Musik, nutzt die Sprachverbindung auf diesem Server. Beende das zuerst: Ich kann nur in einem Sprachkanal sein.',
      permissions: 'Ich konnte nicht beitreten: Eine Berechtigung fehlt.',
      channelGone: 'Den Kanal gibt es nicht mehr.',
      encryption:
        'Die Verschlüsselung mit Discord ist fehlgeschlagen, deshalb bin ich gegangen. Versuche es gleich noch einmal.',
      refused: code => `Discord hat die Verbindung abgelehnt (Code ${code}).`,
      unreachable: attempts =>
        `Nach ${attempts} Versuchen keine Sprachverbindung. Versuche es noch einmal oder wähle eine andere Region für den Kanal.`,
      closing: 'Ich starte gerade neu. Versuche es in einer Minute noch einmal.',
      other: 'Das Dolmetschen endete gleich nach dem Start.',
    },
    permissions: {
      ViewChannel: 'Kanal anzeigen',
      Connect: 'Verbinden',
      Speak: 'Sprechen',
      RequestToSpeak: 'Redeanfrage stellen',
      SendMessages: 'Nachrichten senden',
      EmbedLinks: 'Links einbetten',
      ReadMessageHistory: 'Nachrichtenverlauf lesen',
      CreatePublicThreads: 'Öffentliche Threads erstellen',
      SendMessagesInThreads: 'Nachrichten in Threads senden',
      ChangeNickname: 'Nickname ändern',
      ManageWebhooks: 'WebHooks verwalten',
    },

    stopped: channel => `${channel} wird nicht mehr gedolmetscht.`,

    languageIs: language => `Deine Sprache ist **${language}**.`,
    languageOf: (name, language) => `Die Sprache von ${name} ist **${language}**.`,
    keptUntilRestart: 'Das gilt, bis ich neu starte; mit `remember` länger.',
    remembered: 'Ich merke es mir. Mit `/interpret privacy forget` löschst du es.',
    notUnderstood: language =>
      `${language} kannst du hier hören und lesen, aber ich erkenne es nicht: Was in dieser Sprache gesagt wird, wird nicht übersetzt.`,
    unknownLanguage: text => `„${text}“ kenne ich nicht als Sprache.`,
    perhaps: languages => `Vielleicht: ${languages}`,
    languagesUnavailable:
      'Ich kann die Sprachen des Übersetzungsdienstes gerade nicht abrufen. Versuche es gleich noch einmal.',
    stillOptedOut:
      'Du hast widersprochen, deshalb höre ich dir nicht zu. Das änderst du mit `/interpret privacy opt-in`.',

    outputAuto:
      'Gesprochen wird, was die Leute im Kanal brauchen: bei zwei Sprachen beide, sonst siehe `/interpret status`.',
    outputIs: languages => `Im Kanal wird gesprochen: **${languages}**. Alle anderen bekommen Untertitel.`,
    noVoice: language => `Für ${language} gibt es keine Stimme.`,

    captionsAre: style => `Untertitel: **${style}**.`,
    captionsOff: 'Die Untertitel sind aus.',
    inThread: 'Sie stehen in einem eigenen Thread.',
    captionsFailed: 'Das hat nicht geklappt: Dort darf ich nicht schreiben.',

    status: {
      joining: channel => `**Ich trete ${channel} bei …**`,
      listening: channel => `🔴 **Ich dolmetsche ${channel}**`,
      reconnecting: channel => `**Verbindung zu ${channel} verloren. Ich verbinde neu …**`,
      paused: channel => `⏸ **Das Dolmetschen in ${channel} ist pausiert**`,
      since: time => `Gestartet ${time}`,
      encrypted: 'Auf Discord Ende-zu-Ende-verschlüsselt',
      notEncrypted: 'Nicht Ende-zu-Ende-verschlüsselt',
      output: output => `Ausgabe: ${output}`,
      auto: 'automatisch',
      spoken: languages => `Gesprochen wird jetzt: ${languages}`,
      written: languages => `Untertitel jetzt: ${languages}`,
      nothing: 'nichts',
      captions: (style, channel) => `Untertitel: ${style}, in ${channel}`,
      speakers: 'Leute:',
      nobody: 'Niemand ist im Kanal.',
      optedOut: 'hat widersprochen',
      notOptedIn: 'hat noch nicht zugestimmt',
      noRole: 'hat die Rolle nicht',
      from: {
        asked: 'per Befehl festgelegt',
        remembered: 'gemerkt',
        locale: 'aus den Discord-Einstellungen',
        default: 'angenommen',
      },
      more: count => `und ${count} weitere`,
      unavailable: '⚠️ Der Übersetzungsdienst ist nicht erreichbar. Ich versuche es weiter.',
    },

    privacy: {
      info: 'Während ein Kanal gedolmetscht wird, gehen die Stimmen darin an einen Übersetzungsdienst, der sie erkennt und übersetzt. Untertitel sind gewöhnliche Nachrichten und bleiben im Chat, bis sie gelöscht werden. Du kannst jederzeit mit `/interpret privacy opt-out` widersprechen: Von da an empfange ich nichts mehr von dir.',
      nothingKept: 'Ich habe nichts über dich gespeichert.',
      keptLanguage: language => `Ich habe mir deine Sprache gemerkt: ${language}.`,
      sessionLanguage: language => `Bis ich neu starte, kenne ich deine Sprache: ${language}.`,
      youOptedOut: 'Ich habe mir gemerkt, dass du widersprochen hast.',
      optedOut:
        'Ich höre dir nicht mehr zu, hier und auf jedem anderen Server. Du hörst und liest die anderen weiterhin. Das änderst du mit `/interpret privacy opt-in`.',
      optedIn: 'Du wirst jetzt gedolmetscht.',
      optedInLater:
        'Dein Widerspruch ist gelöscht. Hier höre ich nur denen zu, die zustimmen: Drücke den Knopf im Hinweis, sobald ein Kanal gedolmetscht wird.',
      noRole:
        'Auf diesem Server werden nur Mitglieder mit einer bestimmten Rolle gedolmetscht, und du hast sie nicht.',
      forgotten:
        'Alles, was ich über dich gespeichert hatte, ist gelöscht, auch dein Widerspruch, falls es einen gab. Untertitel sind Nachrichten: Lösche sie selbst oder bitte einen Moderator darum.',
    },

    dial: {
      off: 'Telefonanrufe sind auf diesem Server nicht eingerichtet.',
      notYou:
        'Du darfst keine Telefone anrufen: Dafür brauchst du eine bestimmte Rolle oder das Recht, den Server zu verwalten.',
      noNumber: 'Das ist keine gültige Telefonnummer. Gib sie mit Ländervorwahl an, etwa +4915112345678.',
      calling: 'Es klingelt …',
      announced: (name, language) =>
        `${name} holt ein Telefon (${language}) in dieses Gespräch. Wer abhebt, hört euch.`,
      joined: 'Das Telefon ist dem Gespräch beigetreten.',
      answered: 'Es wurde abgehoben; das Telefon ist im Gespräch.',
      busy: 'Besetzt.',
      noAnswer: 'Niemand hat abgehoben.',
      voicemail: 'Ein Anrufbeantworter ist rangegangen, deshalb habe ich aufgelegt.',
      canceled: 'Der Anruf wurde beendet, bevor jemand abhob.',
      callFailed: 'Der Anruf ist fehlgeschlagen.',
      refused: 'Anrufe an diese Nummer sind nicht erlaubt.',
      capacity: 'Gerade laufen zu viele Anrufe. Versuche es später noch einmal.',
    },

    invite: {
      byPhone: (numbers, code) => `Per Telefon: ${numbers} anrufen und **${code}** eingeben.`,
      byDiscord: code => `Von einem anderen Server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Der Code gilt ${minutes} Minuten für alle, die ihn haben. Wer beitritt, hört diesen Kanal.`,
      noCodes: 'Es sind zu viele Codes gültig. Versuche es später noch einmal.',
    },

    listen: {
      link: (url, minutes) =>
        `Hör diesen Kanal in deiner Sprache: ${url}\nDer Link gilt ${minutes} Minuten für alle, denen du ihn gibst: Teile ihn nur mit Leuten, die diesen Kanal hören dürfen. Zuhörer werden nicht gehört. Schalte den Kanal in Discord stumm, damit du ihn nicht doppelt hörst.`,
      off: 'Das Zuhören im Browser ist hier nicht eingerichtet. Der Betreiber dieses Bots muss `publicUrl` setzen.',
    },

    pause: {
      paused: 'Pausiert. Ich bleibe im Kanal und sende nichts. Weiter geht es mit `/interpret resume`.',
      resumed: 'Das Dolmetschen geht weiter.',
      already: 'Das Dolmetschen ist schon pausiert. Weiter geht es mit `/interpret resume`.',
      notPaused: 'Das Dolmetschen ist nicht pausiert.',
    },

    transcript: {
      file: count =>
        `Äußerungen bisher: ${count}. Nur du siehst diese Datei. Wer widersprochen hat, kommt darin nicht vor.`,
      shortened: 'Der Anfang fehlt, weil die Datei sonst zu groß für Discord wäre.',
      empty: 'Bisher wurde nichts gesagt.',
      off: 'Hier werden keine Mitschriften aufbewahrt. Der Betreiber dieses Bots muss sie einschalten.',
    },

    buttons: {
      agree: 'Mich dolmetschen',
      pause: 'Pause',
      resume: 'Weiter',
      optOut: 'Mir nicht zuhören',
      optIn: 'Mir wieder zuhören',
      privacy: 'Was geschieht mit meiner Stimme?',
      language: 'Ich spreche …',
    },
  },
}
