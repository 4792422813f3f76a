import type { Words } from './words.ts'

export const GERMAN: Words = {
  commands: {
    interpret: ['dolmetschen', 'Einen Sprachkanal live dolmetschen: Jeder spricht seine eigene Sprache'],
    start: ['start', 'Beginnen, einen Sprachkanal zu dolmetschen'],
    stop: ['stopp', 'Das Dolmetschen beenden'],
    language: ['sprache', 'Sagen, welche Sprache du sprichst und liest'],
    output: ['ausgabe', 'Wählen, was im Kanal gesprochen wird'],
    captions: ['untertitel', 'Wählen, wie Untertitel aussehen und wo sie stehen'],
    status: ['status', 'Zeigen, was gedolmetscht wird und für wen'],
    privacy: ['datenschutz', 'Was mit deiner Stimme geschieht und wie du Nein sagst'],
    info: ['info', 'Was mit deiner Stimme geschieht und was über dich aufbewahrt wird'],
    optOut: ['nicht-zuhören', 'Mir nicht zuhören, jetzt und künftig'],
    optIn: ['zuhören', 'Mir wieder zuhören'],
    forget: ['vergessen', 'Alles löschen, was über dich aufbewahrt wird'],
    dial: ['anrufen', 'Ein Telefon in das Gespräch holen'],
    invite: ['einladen', 'Einen Code erhalten, mit dem andere dem Gespräch beitreten'],
    options: {
      channel: ['kanal', 'Der Sprachkanal (sonst der, in dem du bist)'],
      captionsOnly: ['nur-untertitel', 'Untertitel schreiben und im Kanal nichts sagen'],
      roomCode: ['code', 'Der Code eines Gesprächs, dem beigetreten wird'],
      language: ['sprache', 'Fang an, ihren Namen zu tippen'],
      user: ['mitglied', 'Jemand anders (nur Moderatoren)'],
      remember: ['merken', 'Für das nächste Mal merken (sonst nicht)'],
      first: ['erste', 'Eine Sprache, oder automatisch'],
      second: ['zweite', 'Noch eine Sprache'],
      style: ['stil', 'Wie Untertitel aussehen'],
      thread: ['thread', 'In einem eigenen Thread'],
      number: ['nummer', 'Die Telefonnummer, etwa +4915112345678'],
      theirLanguage: ['sprache', 'Was am Telefon gesprochen wird'],
    },
    styles: { embed: 'Farbig', plain: 'Einfacher Text', off: 'Keine Untertitel' },
    readOnly: 'nur zum Hören und Lesen',
    auto: 'Automatisch: wie die Leute im Kanal es brauchen',
  },
  answers: {
    onlyInServers: 'Das geht nur auf Servern.',
    notInvited: url =>
      `Ich bin kein Mitglied dieses Servers: Nur meine Befehle wurden installiert. Bitte jemanden, der den Server verwalten darf, mich als Bot hinzuzufügen: ${url}`,
    notThisServer: 'Für diesen Server bin ich nicht eingerichtet.',
    unknownCommand:
      'Diesen Befehl kenne ich nicht. Vielleicht zeigt Discord eine alte Liste: Starte es neu und versuche es noch einmal.',
    failed: 'Das ist fehlgeschlagen, und du kannst nichts dafür. Versuche es gleich noch einmal.',
    tooFast: seconds => `Das war viel auf einmal. Warte bitte ${seconds} s.`,
    notRunning: 'Hier wird gerade nichts gedolmetscht. `/interpret start` beginnt.',
    notYours:
      'Das können nur Leute in dem Sprachkanal ändern, wer es gestartet hat, und wer Kanäle verwalten darf.',
    moderatorsOnly: 'Für andere kann das nur, wer Mitglieder stummschalten oder Kanäle verwalten darf.',

    started: (channel, text) =>
      `Ich dolmetsche ${channel}. Sprich deine eigene Sprache; Untertitel stehen in ${text}. \`/interpret language\` stellt deine ein.`,
    startedCaptionsOnly: (channel, text) =>
      `Ich schreibe Untertitel für ${channel} in ${text}; gesprochen wird nichts. \`/interpret language\` stellt deine Sprache ein.`,
    runningHere: 'Dieser Kanal wird schon gedolmetscht.',
    runningElsewhere: channel =>
      `Ich dolmetsche schon ${channel} und kann je Server nur in einem Kanal sein. \`/interpret stop\` beendet es dort.`,
    joinFirst: 'Geh zuerst in einen Sprachkanal, oder nenne einen.',
    beThere: channel => `Geh zuerst in ${channel}. Von außen kann es nur starten, wer Kanäle verwalten darf.`,
    noVoiceChannel: channel => `${channel} ist kein Sprachkanal.`,
    notAllowedThere: channel => `Du darfst selbst nicht in ${channel}.`,
    restChannel: channel => `${channel} ist der Kanal für Abwesende: Dort kann niemand sprechen.`,
    channelFull: (channel, limit) =>
      `${channel} ist voll (${limit}). Erhöhe das Nutzerlimit, oder erlaube mir, Mitglieder zu verschieben.`,
    missing: (channel, permissions) => `In ${channel} fehlt mir:\n${permissions}`,
    giveThem: role =>
      `Wer den Server verwaltet, kann mir das geben: Kanal bearbeiten, Berechtigungen, Rolle **${role}**.`,
    withoutThem: 'Bis dahin kommen Untertitel ohne aus.',
    timedOut:
      'Ein Moderator hat mir eine Auszeit gegeben: Bis sie um ist, kann ich weder schreiben noch sprechen.',
    noThreadHere: 'Im Chat eines Sprachkanals gibt es keine Threads; Untertitel stehen im Chat selbst.',
    wrongCode: 'Zu diesem Code gibt es kein Gespräch. Codes laufen ab; bitte um einen neuen.',
    tooManyCodes: 'Zu viele falsche Codes. Warte bitte einige Minuten.',
    noCapacity: 'Es laufen schon so viele Gespräche wie möglich. Versuche es später noch einmal.',
    ends: {
      kicked: 'Ein Moderator hat mich getrennt, während ich beitrat.',
      permissions: 'Discord hat mich nicht hineingelassen: Eine Berechtigung fehlt.',
      channelGone: 'Den Kanal gibt es nicht mehr.',
      encryption:
        'Ich konnte mich mit Discord nicht auf eine Verschlüsselung einigen und bin gegangen. Versuche es gleich noch einmal.',
      refused: code => `Discord hat die Verbindung abgelehnt (Code ${code}).`,
      unreachable: attempts =>
        `Ich habe es ${attempts} Mal versucht und keine Sprachverbindung bekommen. Versuche es noch einmal, oder wähle eine andere Region für den Kanal.`,
      closing: 'Ich werde neu gestartet. Versuche es in einer Minute noch einmal.',
      other: 'Das Dolmetschen endete gleich wieder.',
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
    },

    stopped: channel => `${channel} wird nicht mehr gedolmetscht.`,

    languageIs: language => `Deine Sprache ist **${language}**.`,
    languageOf: (name, language) => `Die Sprache von ${name} ist **${language}**.`,
    keptUntilRestart: 'Ich behalte das, bis ich neu gestartet werde; mit `remember` länger.',
    remembered: 'Ich merke es mir. `/interpret privacy forget` löscht es.',
    notUnderstood: language =>
      `${language} kann man hier hören und lesen, aber nicht erkennen: Was darin gesagt wird, wird nicht übersetzt.`,
    unknownLanguage: text => `„${text}“ ist keine Sprache, die ich habe.`,
    perhaps: languages => `Vielleicht: ${languages}`,
    languagesAway:
      'Ich kann den Übersetzungsdienst gerade nicht nach seinen Sprachen fragen. Versuche es gleich noch einmal.',
    stillOptedOut: 'Du hast widersprochen, also hört dir niemand zu. `/interpret privacy opt-in` ändert das.',

    outputAuto:
      'Gesprochen wird, was die Leute im Kanal brauchen: bei zwei Sprachen beide; bei einer oder vielen siehe `/interpret status`.',
    outputIs: languages =>
      `Im Kanal wird gesprochen: **${languages}**. Für alle anderen gibt es weiter Untertitel.`,
    noVoice: language => `Für ${language} gibt es keine Stimme.`,

    captionsAre: style => `Untertitel: **${style}**.`,
    captionsOff: 'Es werden keine Untertitel mehr geschrieben.',
    inThread: 'Sie stehen in einem eigenen Thread.',
    captionsFailed: 'Das ging nicht: Dort darf ich nicht schreiben.',

    status: {
      joining: channel => `**Ich trete ${channel} bei …**`,
      listening: channel => `🔴 **Ich dolmetsche ${channel}**`,
      reconnecting: channel =>
        `**Die Verbindung zu ${channel} ist gerissen; ich versuche, sie zurückzuholen.**`,
      since: time => `Seit ${time}`,
      encrypted: 'Ende-zu-Ende-verschlüsselt, soweit Discord reicht',
      notEncrypted: 'Nicht Ende-zu-Ende-verschlüsselt',
      output: output => `Ausgabe: ${output}`,
      auto: 'automatisch',
      spoken: languages => `Gesprochen wird jetzt: ${languages}`,
      written: languages => `Untertitel jetzt: ${languages}`,
      nothing: 'nichts',
      captions: (style, channel) => `Untertitel: ${style}, in ${channel}`,
      speakers: 'Leute:',
      nobody: 'Noch wird niemandem zugehört.',
      optedOut: 'hat widersprochen, wird nicht gehört',
      from: {
        asked: 'wie gesagt',
        remembered: 'gemerkt',
        locale: 'nach ihrem Discord',
        default: 'angenommen',
      },
      more: count => `und ${count} weitere`,
      away: '⚠️ Der Übersetzungsdienst ist gerade nicht zu erreichen. Ich versuche es weiter.',
    },

    privacy: {
      info:
        'Während ein Kanal gedolmetscht wird, gehen die Stimmen darin an einen Übersetzungsdienst, der sie erkennt und ' +
        'übersetzt. Ich bewahre keine Aufnahmen auf. Untertitel sind gewöhnliche Nachrichten und bleiben im Chat, bis ' +
        'sie gelöscht werden. Du kannst jederzeit Nein sagen, mit `/interpret privacy opt-out`: Von da an empfange ich nichts von dir.',
      nothingKept: 'Ich bewahre nichts über dich auf.',
      keptLanguage: language => `Ich habe mir deine Sprache gemerkt: ${language}.`,
      sessionLanguage: language => `Bis ich neu gestartet werde, kenne ich deine Sprache: ${language}.`,
      youOptedOut: 'Ich habe mir gemerkt, dass du widersprochen hast.',
      optedOut:
        'Ich höre dir nicht mehr zu, hier und auf jedem anderen Server. Du hörst und liest die anderen weiterhin. ' +
        '`/interpret privacy opt-in` ändert das.',
      optedIn: 'Ab jetzt wirst du wieder gedolmetscht.',
      forgotten:
        'Alles, was ich über dich hatte, ist gelöscht, auch ein Widerspruch, falls es einen gab. Untertitel sind Nachrichten: Lösche sie selbst, oder bitte einen Moderator.',
    },

    dial: {
      off: 'Auf diesem Server können keine Telefone angerufen werden.',
      notYou:
        'Du darfst keine Telefone anrufen: Dazu braucht es eine bestimmte Rolle, oder das Recht, den Server zu verwalten.',
      noNumber: 'Das ist keine Telefonnummer. Schreibe sie mit ihrem Land, etwa +4915112345678.',
      calling: 'Es klingelt …',
      announced: (name, language) =>
        `${name} ruft ein Telefon (${language}) in dieses Gespräch. Wer abhebt, wird euch hören.`,
      joined: 'Das Telefon ist jetzt im Gespräch.',
      answered: 'Es wurde abgehoben; das Telefon ist im Gespräch.',
      busy: 'Es ist besetzt.',
      noAnswer: 'Niemand hat abgehoben.',
      voicemail: 'Ein Anrufbeantworter hat abgehoben; ich habe aufgelegt.',
      cancelled: 'Der Anruf wurde beendet, bevor jemand abhob.',
      callFailed: 'Der Anruf ist fehlgeschlagen.',
      refused: 'Diese Nummer darf nicht angerufen werden.',
      capacity: 'Es sind zu viele Anrufe unterwegs. Versuche es später noch einmal.',
    },

    invite: {
      byPhone: (numbers, code) => `Per Telefon: ${numbers} anrufen und **${code}** eintippen.`,
      byDiscord: code => `Von einem anderen Server: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `Der Code gilt ${minutes} Minuten, für alle, die ihn haben. Wer beitritt, hört diesen Kanal.`,
      noCodes: 'Es sind gerade zu viele Codes im Umlauf. Versuche es später noch einmal.',
    },

    buttons: {
      optOut: 'Mir nicht zuhören',
      optIn: 'Mir wieder zuhören',
      privacy: 'Was geschieht mit meiner Stimme?',
    },
  },
}
