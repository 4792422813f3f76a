import type { DiscordTexts } from '../en/discord.ts'

export const DISCORD: DiscordTexts = {
  channel: {
    listening: (by, channel) =>
      `🔴 **Interpretación en directo en ${channel}**, iniciada por ${by}. Lo que se dice allí se envía a un servicio de traducción y aparece en subtítulos.`,
    newcomers: (names, channel) =>
      `🔴 ${names}: lo que se dice en ${channel} se envía a un servicio de traducción y aparece en subtítulos.`,
    keptNothing: 'No se graba ni se guarda nada.',
    notRecorded: 'No se graba nada.',
    recordedOnRequest: 'La conversación se puede grabar a petición.',
    recorded: 'La conversación se graba.',
    textUntilEnd:
      'Lo que se dice se guarda como texto hasta que termine la interpretación, para `/interpret transcript`.',
    textLonger: 'Lo que se dice se guarda como texto, también después de la interpretación.',
    toOptOut:
      '¿No quiere que le escuche? Pulse el botón o escriba `/interpret privacy opt-out`: tiene efecto al instante.',
    toOptIn:
      'Solo escucho a quienes están de acuerdo: pulse el botón o escriba `/interpret privacy opt-in`. Hasta entonces, su voz no se envía. Puede cambiar de opinión en cualquier momento.',
    onlyRoles: roles =>
      `Solo escucho a los miembros con ${roles}. Si es su caso y no lo quiere, pulse el botón o escriba \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'Para elegir su idioma, escriba `/interpret language`.',
    paused: (by, channel) => `⏸ ${by} ha pausado la interpretación en ${channel}. No escucho a nadie.`,
    resumed: channel => `▶ La interpretación en ${channel} continúa.`,
    ended: channel => `⚪ La interpretación en ${channel} ha terminado. Ya no escucho.`,
    kicked: 'Me han desconectado, así que he parado.',
    taken: 'Otra función de este bot usa ahora su voz aquí, así que he dejado de interpretar.',
    lost: 'He perdido la conexión de voz y no he podido recuperarla, así que he parado.',
    encryption: 'Ha fallado el cifrado con Discord, así que he parado.',
    permissions: 'Ya no tengo acceso a este canal, así que he parado.',
    empty: 'Se han ido todos, así que he parado.',
    askedToSpeak:
      'He pedido la palabra en este escenario. Hasta que un moderador me la dé, solo hay subtítulos.',
    muted: 'Estoy silenciado, así que solo hay subtítulos.',
    deafened: 'Estoy ensordecido, así que no puedo oír ni traducir a nadie.',
    noSpeak: 'No tengo permiso para hablar en este canal, así que solo hay subtítulos.',
    noAudio:
      'Hay personas hablando, pero no llega audio. El operador del bot debería comprobar si UDP está bloqueado.',
    full: 'Hay más personas de las que puedo escuchar. A algunas no se las traduce.',
    serviceUnavailable:
      '⚠️ El servicio de traducción no está disponible. Sigo intentándolo; mientras tanto, no hay subtítulos.',
    untranslated: names => `⚠️ En este momento no puedo traducir a todos. Falta: ${names}. Sigo intentándolo.`,
    serviceBack: 'El servicio de traducción no ha estado disponible durante un rato. Ya funciona.',
    headphones: name => `${name}, su micrófono capta lo que digo. Use auriculares, por favor.`,
    thread: 'Subtítulos',
    telephone: 'teléfono',
  },
  commands: {
    interpret: ['interpretar', 'Interpretación en directo en un canal de voz: cada persona habla su idioma'],
    start: ['empezar', 'Empezar a interpretar un canal de voz'],
    stop: ['parar', 'Dejar de interpretar'],
    language: ['idioma', 'Elegir el idioma que hablas y lees'],
    output: ['salida', 'Elegir los idiomas que se oyen en el canal'],
    captions: ['subtítulos', 'Elegir el estilo y el lugar de los subtítulos'],
    status: ['estado', 'Ver qué se está interpretando y para quién'],
    privacy: ['privacidad', 'Qué se hace con tu voz y cómo negarte'],
    info: ['información', 'Qué se hace con tu voz y qué se guarda sobre ti'],
    optOut: ['no-escucharme', 'Dejar de escucharme, ahora y en el futuro'],
    optIn: ['escucharme', 'Volver a escucharme'],
    forget: ['olvidar', 'Borrar todo lo que se guarda sobre ti'],
    dial: ['llamar', 'Llamar a un teléfono y unirlo a la conversación'],
    invite: ['invitar', 'Obtener un código para que otros se unan a la conversación'],
    listen: ['escuchar', 'Obtener un enlace para oír esto en cualquier idioma en un navegador'],
    pause: ['pausar', 'Pausar la interpretación: no se envía nada y el bot se queda en el canal'],
    resume: ['continuar', 'Continuar la interpretación tras una pausa'],
    transcript: ['transcripción', 'Obtener lo dicho hasta ahora en tu idioma, como archivo privado'],
    options: {
      channel: ['canal', 'Canal de voz (por defecto, el canal en el que estás)'],
      captionsOnly: ['solo-subtítulos', 'Escribir subtítulos sin hablar en el canal'],
      roomCode: ['código', 'Código de la conversación a la que unirse'],
      language: ['idioma', 'Empieza a escribir su nombre'],
      user: ['usuario', 'Otro miembro (solo moderadores)'],
      remember: ['recordar', 'Recordarlo para la próxima vez (por defecto, no)'],
      first: ['primero', 'Un idioma o automático'],
      second: ['segundo', 'Otro idioma'],
      style: ['estilo', 'Estilo de los subtítulos'],
      thread: ['hilo', 'Poner los subtítulos en un hilo aparte'],
      number: ['número', 'Número de teléfono, como +34600123456'],
      theirLanguage: ['idioma', 'Idioma de la persona al teléfono'],
      format: ['formato', 'Formato del archivo (por defecto: texto)'],
    },
    styles: {
      embed: 'En color',
      plain: 'Texto sencillo',
      webhook: 'Con nombre e imagen de quien habla',
      off: 'Sin subtítulos',
    },
    formats: { text: 'Texto', srt: 'Subtítulos (SRT)', vtt: 'Subtítulos (WebVTT)' },
    readOnly: 'solo para escuchar y leer',
    auto: 'Automático: según las personas del canal',
  },
  replies: {
    onlyInServers: 'Esto solo funciona en servidores.',
    notInvited: url =>
      `No soy miembro de este servidor: solo están instalados mis comandos. Pide a alguien que pueda gestionar el servidor que me añada como bot: ${url}`,
    notThisServer: 'No estoy configurado para este servidor.',
    unknownCommand:
      'Comando desconocido. Puede que Discord muestre una lista antigua: reinícialo y prueba otra vez.',
    failed: 'Algo ha fallado por nuestra parte. Prueba otra vez dentro de un momento.',
    tooFast: seconds => `Demasiadas peticiones. Espera ${seconds} s.`,
    notRunning: 'Ahora no se interpreta nada aquí. Para empezar, usa `/interpret start`.',
    notYours:
      'Solo pueden cambiarlo las personas de ese canal de voz, quien lo inició y los miembros que pueden gestionar canales.',
    moderatorsOnly:
      'Solo los miembros que pueden silenciar a otros o gestionar canales pueden hacerlo por otras personas.',

    started: (channel, text) =>
      `Interpretando ${channel}. Habla tu idioma; los subtítulos están en ${text}. Para elegir tu idioma, usa \`/interpret language\`.`,
    startedCaptionsOnly: (channel, text) =>
      `Escribiendo subtítulos de ${channel} en ${text}, sin hablar. Para elegir tu idioma, usa \`/interpret language\`.`,
    runningHere: 'Este canal ya se está interpretando.',
    runningElsewhere: channel =>
      `Ya estoy interpretando ${channel}, y solo puedo estar en un canal por servidor. Para parar allí, usa \`/interpret stop\`.`,
    joinFirst: 'Entra primero en un canal de voz o indica uno.',
    beThere: channel =>
      `Entra primero en ${channel}. Desde fuera solo pueden empezar los miembros que pueden gestionar canales.`,
    noVoiceChannel: channel => `${channel} no es un canal de voz.`,
    notAllowedThere: channel => `No tienes permiso para entrar en ${channel}.`,
    restChannel: channel => `${channel} es el canal de inactividad, donde no se puede hablar.`,
    channelFull: (channel, limit) =>
      `${channel} está lleno (${limit}). Sube su límite de usuarios o permíteme mover miembros.`,
    missing: (channel, permissions) => `En ${channel} necesito estos permisos:\n${permissions}`,
    giveThem: role =>
      `Me los puede dar quien gestiona el servidor: editar el canal, Permisos, rol **${role}**.`,
    withoutThem: 'Hasta entonces, los subtítulos funcionan sin ellos.',
    timedOut: 'Un moderador me ha aislado temporalmente: hasta que termine, no puedo escribir ni hablar.',
    noThreadHere: 'El chat de un canal de voz no tiene hilos, así que los subtítulos van al propio chat.',
    wrongCode: 'No hay ninguna conversación con este código. Los códigos caducan; pide uno nuevo.',
    tooManyCodes: 'Demasiados códigos incorrectos. Espera unos minutos.',
    noCapacity: 'Todas las plazas para conversaciones están ocupadas. Prueba más tarde.',
    ends: {
      kicked: 'Un moderador me ha desconectado mientras entraba.',
      taken: channel =>
        `Otra función de este bot, como la música, está usando su voz en ${channel}. Termínala primero: solo puedo estar en un canal de voz.`,
      takenSomewhere:
        'Otra función de este bot, como la música, está usando su voz en este servidor. Termínala primero: solo puedo estar en un canal de voz.',
      permissions: 'No he podido entrar: falta un permiso.',
      channelGone: 'El canal ya no existe.',
      encryption:
        'Ha fallado el cifrado con Discord, así que he salido. Prueba otra vez dentro de un momento.',
      refused: code => `Discord ha rechazado la conexión (código ${code}).`,
      unreachable: attempts =>
        `Sin conexión de voz tras ${attempts} intentos. Prueba otra vez o elige otra región para el canal.`,
      closing: 'Me estoy reiniciando. Prueba otra vez dentro de un minuto.',
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
      ManageWebhooks: 'Gestionar webhooks',
    },

    stopped: channel => `He dejado de interpretar ${channel}.`,

    languageIs: language => `Tu idioma es **${language}**.`,
    languageOf: (name, language) => `El idioma de ${name} es **${language}**.`,
    keptUntilRestart: 'Lo guardo hasta que me reinicie; con `remember`, más tiempo.',
    remembered: 'Lo recordaré. Para borrarlo, usa `/interpret privacy forget`.',
    notUnderstood: language =>
      `Aquí puedes oír y leer ${language}, pero no lo reconozco: lo que se dice en ese idioma no se traduce.`,
    unknownLanguage: text => `«${text}» no es un idioma que conozca.`,
    perhaps: languages => `Prueba con: ${languages}`,
    languagesUnavailable:
      'No puedo obtener los idiomas del servicio de traducción. Prueba otra vez dentro de un momento.',
    stillOptedOut:
      'Has pedido que no te escuche, así que no lo hago. Para cambiarlo, usa `/interpret privacy opt-in`.',

    outputAuto:
      'Los idiomas que se oyen dependen de las personas del canal: con dos idiomas, ambos; si no, mira `/interpret status`.',
    outputIs: languages => `En el canal se oye: **${languages}**. Los demás tienen subtítulos.`,
    noVoice: language => `No hay voz para ${language}.`,

    captionsAre: style => `Subtítulos: **${style}**.`,
    captionsOff: 'Los subtítulos están desactivados.',
    inThread: 'Van a un hilo aparte.',
    captionsFailed: 'No ha funcionado: no tengo permiso para escribir allí.',

    status: {
      joining: channel => `**Entrando en ${channel} …**`,
      listening: channel => `🔴 **Interpretando ${channel}**`,
      reconnecting: channel => `**Se ha perdido la conexión con ${channel}. Reconectando …**`,
      paused: channel => `⏸ **La interpretación de ${channel} está en pausa**`,
      since: time => `Iniciado ${time}`,
      encrypted: 'Con cifrado de extremo a extremo en Discord',
      notEncrypted: 'Sin cifrado de extremo a extremo',
      output: output => `Salida: ${output}`,
      auto: 'automática',
      spoken: languages => `Se oye ahora: ${languages}`,
      written: languages => `Subtítulos ahora: ${languages}`,
      nothing: 'nada',
      captions: (style, channel) => `Subtítulos: ${style}, en ${channel}`,
      speakers: 'Personas:',
      nobody: 'No hay nadie en el canal.',
      optedOut: 'no quiere que se le escuche',
      notOptedIn: 'aún no ha aceptado',
      noRole: 'no tiene el rol',
      from: {
        asked: 'elegido con un comando',
        remembered: 'recordado',
        locale: 'según su Discord',
        default: 'supuesto',
      },
      more: count => `y ${count} más`,
      unavailable: '⚠️ El servicio de traducción no está disponible. Sigo intentándolo.',
    },

    privacy: {
      info: 'Mientras se interpreta un canal, sus voces se envían a un servicio de traducción, que las reconoce y las traduce. Los subtítulos son mensajes normales y quedan en el chat hasta que se borran. Puedes negarte en cualquier momento con `/interpret privacy opt-out`: desde entonces no recibo nada tuyo.',
      nothingKept: 'No guardo nada sobre ti.',
      keptLanguage: language => `Recuerdo tu idioma: ${language}.`,
      sessionLanguage: language => `Hasta que me reinicie conozco tu idioma: ${language}.`,
      youOptedOut: 'Recuerdo que has pedido que no te escuche.',
      optedOut:
        'Ya no te escucho, ni aquí ni en ningún otro servidor. Sigues oyendo y leyendo a los demás. Para cambiarlo, usa `/interpret privacy opt-in`.',
      optedIn: 'Te interpreto.',
      optedInLater:
        'He borrado tu negativa. Aquí solo escucho a quienes están de acuerdo: pulsa el botón del aviso cuando se interprete un canal.',
      noRole: 'En este servidor solo se interpreta a los miembros con cierto rol, y tú no lo tienes.',
      forgotten:
        'He borrado todo lo que guardaba sobre ti, también tu petición de no escucharte, si la había. Los subtítulos son mensajes: bórralos tú o pídeselo a un moderador.',
    },

    dial: {
      off: 'Las llamadas telefónicas no están configuradas en este servidor.',
      notYou: 'No puedes llamar a teléfonos: hace falta cierto rol o permiso para gestionar el servidor.',
      noNumber: 'Ese número de teléfono no es válido. Escríbelo con el prefijo del país, como +34600123456.',
      calling: 'Llamando …',
      announced: (name, language) =>
        `${name} llama a un teléfono (${language}) para unirlo a esta conversación. Quien conteste os oirá.`,
      joined: 'El teléfono se ha unido a la conversación.',
      answered: 'Han contestado y ya están en la conversación.',
      busy: 'Comunica.',
      noAnswer: 'No han contestado.',
      voicemail: 'Ha saltado el buzón de voz, así que he colgado.',
      canceled: 'La llamada ha terminado antes de que contestaran.',
      callFailed: 'La llamada ha fallado.',
      refused: 'No se permiten llamadas a este número.',
      capacity: 'Hay demasiadas llamadas en curso. Prueba más tarde.',
    },

    invite: {
      byPhone: (numbers, code) => `Por teléfono: llama al ${numbers} y marca **${code}**.`,
      byDiscord: code => `Desde otro servidor: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `El código vale ${minutes} minutos, para quien lo tenga. Quien se una oirá este canal.`,
      noCodes: 'Hay demasiados códigos activos. Prueba más tarde.',
    },

    listen: {
      link: (url, minutes) =>
        `Oye este canal en tu idioma: ${url}\nEl enlace vale ${minutes} minutos para todas las personas a quienes se lo des: compártelo solo con quienes puedan oír este canal. A quien escucha no se le oye. Silencia el canal en Discord para no oírlo dos veces.`,
      off: 'Aquí no se puede escuchar en un navegador. Quien gestiona este bot debe configurar `publicUrl`.',
    },

    pause: {
      paused: 'En pausa. Me quedo en el canal y no envío nada. Para continuar, usa `/interpret resume`.',
      resumed: 'La interpretación continúa.',
      already: 'La interpretación ya está en pausa. Para continuar, usa `/interpret resume`.',
      notPaused: 'La interpretación no está en pausa.',
    },

    transcript: {
      file: count =>
        `Intervenciones hasta ahora: ${count}. Solo tú ves este archivo. No contiene a quienes se han negado.`,
      shortened: 'Falta el principio, porque el archivo sería demasiado grande para Discord.',
      empty: 'Todavía no se ha dicho nada.',
      off: 'Aquí no se guardan transcripciones. El operador de este bot tiene que activarlas.',
    },

    buttons: {
      agree: 'Interprétame',
      pause: 'Pausar',
      resume: 'Continuar',
      optOut: 'No me escuches',
      optIn: 'Escúchame otra vez',
      privacy: '¿Qué pasa con mi voz?',
      language: 'Yo hablo…',
    },
  },
}
