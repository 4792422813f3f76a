import type { Words } from './words.ts'

export const SPANISH: Words = {
  commands: {
    interpret: [
      'interpretar',
      'Interpretación en directo de un canal de voz: cada persona habla su propio idioma',
    ],
    start: ['empezar', 'Empezar a interpretar un canal de voz'],
    stop: ['parar', 'Dejar de interpretar'],
    language: ['idioma', 'Decir qué idioma hablas y lees'],
    output: ['salida', 'Elegir qué se oye en el canal'],
    captions: ['subtítulos', 'Elegir cómo son los subtítulos y adónde van'],
    status: ['estado', 'Mostrar qué se interpreta y para quién'],
    privacy: ['privacidad', 'Qué pasa con tu voz y cómo decir que no'],
    info: ['información', 'Qué pasa con tu voz y qué se guarda sobre ti'],
    optOut: ['no-escucharme', 'No escucharme, ni ahora ni en el futuro'],
    optIn: ['escucharme', 'Volver a escucharme'],
    forget: ['olvidar', 'Borrar todo lo que se guarda sobre ti'],
    dial: ['llamar', 'Llamar a un teléfono y unirlo a la conversación'],
    invite: ['invitar', 'Obtener un código para que otros se unan a la conversación'],
    options: {
      channel: ['canal', 'El canal de voz (si no, en el que estás)'],
      captionsOnly: ['solo-subtítulos', 'Escribir subtítulos sin decir nada en el canal'],
      roomCode: ['código', 'El código de una conversación para unirse a ella'],
      language: ['idioma', 'Empieza a escribir su nombre'],
      user: ['usuario', 'Otra persona (solo moderadores)'],
      remember: ['recordar', 'Guardarlo para la próxima vez (si no, no)'],
      first: ['primero', 'Un idioma, o automático'],
      second: ['segundo', 'Otro idioma más'],
      style: ['estilo', 'Cómo son los subtítulos'],
      thread: ['hilo', 'En un hilo propio'],
      number: ['número', 'El número de teléfono, como +34600123456'],
      theirLanguage: ['idioma', 'Lo que habla la persona al teléfono'],
    },
    styles: { embed: 'En color', plain: 'Texto sencillo', off: 'Sin subtítulos' },
    readOnly: 'solo para oír y leer',
    auto: 'Automático: lo que necesiten las personas del canal',
  },
  answers: {
    onlyInServers: 'Esto solo funciona en servidores.',
    notInvited: url =>
      `No soy miembro de este servidor: solo se instalaron mis comandos. Pide a quien pueda gestionar el servidor que me añada como bot: ${url}`,
    notThisServer: 'No estoy configurado para este servidor.',
    unknownCommand:
      'No conozco este comando. Puede que Discord muestre una lista antigua: reinícialo y prueba otra vez.',
    failed: 'No ha funcionado, y no es culpa tuya. Prueba otra vez dentro de un momento.',
    tooFast: seconds => `Eso ha sido mucho de una vez. Espera ${seconds} s.`,
    notRunning: 'Ahora no se interpreta nada aquí. `/interpret start` empieza.',
    notYours:
      'Solo pueden cambiarlo las personas de ese canal de voz, quien lo empezó y quienes pueden gestionar canales.',
    moderatorsOnly:
      'Solo quien puede silenciar miembros o gestionar canales puede hacer eso por otras personas.',

    started: (channel, text) =>
      `Interpreto ${channel}. Habla tu propio idioma; los subtítulos están en ${text}. \`/interpret language\` elige el tuyo.`,
    startedCaptionsOnly: (channel, text) =>
      `Escribo subtítulos de ${channel} en ${text}; no se dice nada en voz alta. \`/interpret language\` elige tu idioma.`,
    runningHere: 'Este canal ya se está interpretando.',
    runningElsewhere: channel =>
      `Ya interpreto ${channel}, y solo puedo estar en un canal de cada servidor. \`/interpret stop\` lo termina allí.`,
    joinFirst: 'Entra primero en un canal de voz, o indica uno.',
    beThere: channel =>
      `Entra primero en ${channel}. Desde fuera solo puede empezar quien puede gestionar canales.`,
    noVoiceChannel: channel => `${channel} no es un canal de voz.`,
    notAllowedThere: channel => `Tú no puedes entrar en ${channel}.`,
    restChannel: channel => `${channel} es el canal de inactividad: allí nadie puede hablar.`,
    channelFull: (channel, limit) =>
      `${channel} está lleno (${limit}). Sube su límite de usuarios o permíteme mover miembros.`,
    missing: (channel, permissions) => `En ${channel} me falta:\n${permissions}`,
    giveThem: role =>
      `Me lo puede dar quien gestiona el servidor: editar el canal, Permisos, rol **${role}**.`,
    withoutThem: 'Hasta entonces los subtítulos van sin ello.',
    timedOut: 'Un moderador me ha aislado temporalmente: hasta que termine no puedo escribir ni hablar.',
    noThreadHere: 'En el chat de un canal de voz no hay hilos: los subtítulos van al chat mismo.',
    wrongCode: 'No hay ninguna conversación con este código. Los códigos caducan; pide uno nuevo.',
    tooManyCodes: 'Demasiados códigos erróneos. Espera unos minutos.',
    noCapacity: 'Ya hay tantas conversaciones como es posible. Prueba más tarde.',
    ends: {
      kicked: 'Un moderador me ha desconectado mientras entraba.',
      permissions: 'Discord no me ha dejado entrar: falta un permiso.',
      channelGone: 'El canal ya no existe.',
      encryption:
        'No he podido acordar el cifrado con Discord, así que he salido. Prueba otra vez dentro de un momento.',
      refused: code => `Discord ha rechazado la conexión (código ${code}).`,
      unreachable: attempts =>
        `Lo he intentado ${attempts} veces y no he conseguido una conexión de voz. Prueba otra vez, o elige otra región para el canal.`,
      closing: 'Me están reiniciando. Prueba otra vez dentro de un minuto.',
      other: 'La interpretación ha terminado nada más empezar.',
    },
    permissions: {
      ViewChannel: 'Ver canal',
      Connect: 'Conectar',
      Speak: 'Hablar',
      RequestToSpeak: 'Solicitar hablar',
      SendMessages: 'Enviar mensajes',
      EmbedLinks: 'Insertar enlaces',
      ReadMessageHistory: 'Leer el historial de mensajes',
      CreatePublicThreads: 'Crear hilos públicos',
      SendMessagesInThreads: 'Enviar mensajes en hilos',
      ChangeNickname: 'Cambiar apodo',
    },

    stopped: channel => `He dejado de interpretar ${channel}.`,

    languageIs: language => `Tu idioma es **${language}**.`,
    languageOf: (name, language) => `El idioma de ${name} es **${language}**.`,
    keptUntilRestart: 'Lo guardo hasta que me reinicien; con `remember` lo guardo más tiempo.',
    remembered: 'Lo recuerdo. `/interpret privacy forget` lo borra.',
    notUnderstood: language =>
      `${language} se puede oír y leer aquí, pero no reconocer: lo que se dice en ese idioma no se traduce.`,
    unknownLanguage: text => `«${text}» no es un idioma que tenga.`,
    perhaps: languages => `Quizás: ${languages}`,
    languagesAway:
      'Ahora no puedo preguntar sus idiomas al servicio de traducción. Prueba otra vez dentro de un momento.',
    stillOptedOut:
      'Has pedido que no se te escuche, así que nadie te escucha. `/interpret privacy opt-in` lo cambia.',

    outputAuto:
      'Lo que se oye sigue a las personas del canal: con dos idiomas, ambos; con uno o muchos, mira `/interpret status`.',
    outputIs: languages => `En el canal se oye: **${languages}**. Para los demás siguen los subtítulos.`,
    noVoice: language => `No hay voz para ${language}.`,

    captionsAre: style => `Subtítulos: **${style}**.`,
    captionsOff: 'Ya no se escriben subtítulos.',
    inThread: 'Van a un hilo propio.',
    captionsFailed: 'No ha funcionado: no puedo escribir allí.',

    status: {
      joining: channel => `**Entro en ${channel} …**`,
      listening: channel => `🔴 **Interpreto ${channel}**`,
      reconnecting: channel => `**Se ha roto la conexión con ${channel}; intento recuperarla.**`,
      since: time => `Desde ${time}`,
      encrypted: 'Cifrado de extremo a extremo hasta donde llega Discord',
      notEncrypted: 'Sin cifrado de extremo a extremo',
      output: output => `Salida: ${output}`,
      auto: 'automática',
      spoken: languages => `Se oye ahora: ${languages}`,
      written: languages => `Subtítulos ahora: ${languages}`,
      nothing: 'nada',
      captions: (style, channel) => `Subtítulos: ${style}, en ${channel}`,
      speakers: 'Personas:',
      nobody: 'Todavía no se escucha a nadie.',
      optedOut: 'no quiere, no se le escucha',
      from: {
        asked: 'como ha dicho',
        remembered: 'recordado',
        locale: 'de su Discord',
        default: 'supuesto',
      },
      more: count => `y ${count} más`,
      away: '⚠️ Ahora no se llega al servicio de traducción. Sigo intentándolo.',
    },

    privacy: {
      info:
        'Mientras se interpreta un canal, las voces se envían a un servicio de traducción, que las reconoce y las ' +
        'traduce. No guardo grabaciones. Los subtítulos son mensajes normales y quedan en el chat hasta que se borran. ' +
        'Puedes decir que no en cualquier momento con `/interpret privacy opt-out`: desde entonces no recibo nada tuyo.',
      nothingKept: 'No guardo nada sobre ti.',
      keptLanguage: language => `Recuerdo tu idioma: ${language}.`,
      sessionLanguage: language => `Hasta que me reinicien sé tu idioma: ${language}.`,
      youOptedOut: 'Recuerdo que has pedido que no se te escuche.',
      optedOut:
        'Ya no te escucho, ni aquí ni en ningún otro servidor. Sigues oyendo y leyendo a los demás. ' +
        '`/interpret privacy opt-in` lo cambia.',
      optedIn: 'Desde ahora se te interpreta de nuevo.',
      forgotten:
        'He borrado todo lo que guardaba sobre ti, también que no querías que se te escuchara, si era así. Los subtítulos son mensajes: bórralos tú o pídeselo a un moderador.',
    },

    dial: {
      off: 'En este servidor no se puede llamar a teléfonos.',
      notYou: 'No puedes llamar a teléfonos: hace falta cierto rol, o permiso para gestionar el servidor.',
      noNumber: 'Eso no es un número de teléfono. Escríbelo con su país, como +34600123456.',
      calling: 'Está sonando …',
      announced: (name, language) =>
        `${name} llama a un teléfono (${language}) para unirlo a esta conversación. Quien conteste os oirá.`,
      joined: 'El teléfono se ha unido a la conversación.',
      answered: 'Han contestado y están en la conversación.',
      busy: 'La línea está ocupada.',
      noAnswer: 'No han contestado.',
      voicemail: 'Ha contestado un contestador; he colgado.',
      cancelled: 'La llamada ha terminado antes de que contestaran.',
      callFailed: 'La llamada ha fallado.',
      refused: 'No se puede llamar a este número.',
      capacity: 'Hay demasiadas llamadas en curso. Prueba más tarde.',
    },

    invite: {
      byPhone: (numbers, code) => `Por teléfono: llama al ${numbers} y marca **${code}**.`,
      byDiscord: code => `Desde otro servidor: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `El código vale ${minutes} minutos, para todo el que lo tenga. Quien se une oye este canal.`,
      noCodes: 'Ahora hay demasiados códigos. Prueba más tarde.',
    },

    buttons: { optOut: 'No me escuches', optIn: 'Escúchame otra vez', privacy: '¿Qué pasa con mi voz?' },
  },
}
