import type { DiscordTexts } from '../en/discord.ts'

export const DISCORD: DiscordTexts = {
  channel: {
    listening: (by, channel) =>
      `🔴 **Interpretação ao vivo em ${channel}**, iniciada por ${by}. O que se diz ali é enviado a um serviço de tradução e mostrado em legendas.`,
    newcomers: (names, channel) =>
      `🔴 ${names}: o que se diz em ${channel} é enviado a um serviço de tradução e mostrado em legendas.`,
    keptNothing: 'Nada é gravado nem guardado.',
    notRecorded: 'Nada é gravado.',
    recordedOnRequest: 'A conversa pode ser gravada a pedido.',
    recorded: 'A conversa é gravada.',
    textUntilEnd:
      'O que se diz é guardado como texto até o fim da interpretação, para `/interpret transcript`.',
    textLonger: 'O que se diz é guardado como texto, também depois do fim da interpretação.',
    toOptOut:
      'Não quer ser ouvido? Clique no botão ou digite `/interpret privacy opt-out`: tem efeito imediato.',
    toOptIn:
      'Só ouço quem concorda: clique no botão ou digite `/interpret privacy opt-in`. Até lá, a sua voz não é enviada. Você pode mudar de ideia a qualquer momento.',
    onlyRoles: roles =>
      `Só ouço membros com ${roles}. Se for o seu caso e não quiser, clique no botão ou digite \`/interpret privacy opt-out\`.`,
    toSetLanguage: 'Para definir o seu idioma, digite `/interpret language`.',
    paused: (by, channel) => `⏸ ${by} pausou a interpretação em ${channel}. Não ouço ninguém.`,
    resumed: channel => `▶ A interpretação em ${channel} continua.`,
    ended: channel => `⚪ A interpretação em ${channel} terminou. Não estou mais ouvindo.`,
    kicked: 'Fui desconectado, por isso parei.',
    taken: 'Outra função deste bot usa agora a voz dele aqui, por isso parei de interpretar.',
    lost: 'Perdi a conexão de voz e não consegui recuperá-la, por isso parei.',
    encryption: 'A criptografia com o Discord falhou, por isso parei.',
    permissions: 'Não tenho mais acesso a este canal, por isso parei.',
    empty: 'Todos saíram, por isso parei.',
    askedToSpeak: 'Pedi a palavra neste palco. Até um moderador permitir, há apenas legendas.',
    muted: 'Estou silenciado, por isso há apenas legendas.',
    deafened: 'Estou ensurdecido, por isso não consigo ouvir nem traduzir ninguém.',
    noSpeak: 'Não tenho permissão para falar neste canal, por isso há apenas legendas.',
    noAudio:
      'Há pessoas falando, mas não chega áudio. O operador do bot deve verificar se o UDP está bloqueado.',
    full: 'Há mais pessoas do que consigo ouvir. Algumas não são traduzidas.',
    serviceUnavailable:
      '⚠️ O serviço de tradução está indisponível. Continuo tentando; até lá, não há legendas.',
    untranslated: names => `⚠️ No momento não consigo traduzir todos. Falta: ${names}. Continuo tentando.`,
    serviceBack: 'O serviço de tradução ficou indisponível por algum tempo. Já voltou.',
    headphones: name => `${name}, o seu microfone capta o que eu digo. Use fones de ouvido, por favor.`,
    thread: 'Legendas',
    telephone: 'telefone',
  },
  commands: {
    interpret: ['interpretar', 'Interpretação ao vivo em um canal de voz: cada pessoa fala o seu idioma'],
    start: ['iniciar', 'Começar a interpretar um canal de voz'],
    stop: ['parar', 'Parar de interpretar'],
    language: ['idioma', 'Definir o idioma que você fala e lê'],
    output: ['saída', 'Escolher os idiomas falados no canal'],
    captions: ['legendas', 'Escolher o estilo e o lugar das legendas'],
    status: ['estado', 'Mostrar o que está sendo interpretado, e para quem'],
    privacy: ['privacidade', 'O que acontece com a sua voz, e como recusar'],
    info: ['informações', 'O que acontece com a sua voz, e o que é guardado sobre você'],
    optOut: ['não-me-ouvir', 'Parar de me ouvir, agora e no futuro'],
    optIn: ['me-ouvir', 'Voltar a me ouvir'],
    forget: ['esquecer', 'Apagar tudo o que é guardado sobre você'],
    dial: ['ligar', 'Ligar para um telefone e adicioná-lo à conversa'],
    invite: ['convidar', 'Obter um código para outras pessoas entrarem na conversa'],
    listen: ['ouvir', 'Obter um link para ouvir isto em qualquer idioma no navegador'],
    pause: ['pausar', 'Pausar a interpretação: nada é enviado e o bot fica no canal'],
    resume: ['retomar', 'Retomar a interpretação depois de uma pausa'],
    transcript: ['transcrição', 'Obter o que foi dito até agora no seu idioma, em um arquivo privado'],
    options: {
      channel: ['canal', 'Canal de voz (padrão: aquele em que você está)'],
      captionsOnly: ['só-legendas', 'Escrever legendas sem falar no canal'],
      roomCode: ['código', 'Código da conversa em que entrar'],
      language: ['idioma', 'Comece a digitar o nome'],
      user: ['usuário', 'Outro membro (só moderadores)'],
      remember: ['lembrar', 'Lembrar para a próxima vez (padrão: não)'],
      first: ['primeiro', 'Um idioma ou automático'],
      second: ['segundo', 'Outro idioma'],
      style: ['estilo', 'Estilo das legendas'],
      thread: ['tópico', 'Pôr as legendas em um tópico separado'],
      number: ['número', 'Número de telefone, como +5511912345678'],
      theirLanguage: ['idioma', 'Idioma da pessoa ao telefone'],
      format: ['formato', 'Formato do arquivo (padrão: texto)'],
    },
    styles: {
      embed: 'Colorido',
      plain: 'Texto simples',
      webhook: 'Com nome e imagem de quem fala',
      off: 'Sem legendas',
    },
    formats: { text: 'Texto', srt: 'Legendas (SRT)', vtt: 'Legendas (WebVTT)' },
    readOnly: 'só para ouvir e ler',
    auto: 'Automático: conforme as pessoas do canal',
  },
  replies: {
    onlyInServers: 'Isto só funciona em servidores.',
    notInvited: url =>
      `Não sou membro deste servidor: só os meus comandos estão instalados. Peça a alguém que possa gerenciar o servidor para me adicionar como bot: ${url}`,
    notThisServer: 'Não estou configurado para este servidor.',
    unknownCommand:
      'Comando desconhecido. Talvez o Discord mostre uma lista antiga: reinicie-o e tente de novo.',
    failed: 'Algo deu errado do nosso lado. Tente de novo daqui a pouco.',
    tooFast: seconds => `Solicitações demais. Espere ${seconds} s.`,
    notRunning: 'Nada está sendo interpretado aqui agora. Para começar, use `/interpret start`.',
    notYours:
      'Só podem mudar isso as pessoas nesse canal de voz, quem o iniciou e os membros que podem gerenciar canais.',
    moderatorsOnly:
      'Só membros que podem silenciar membros ou gerenciar canais podem fazer isso por outras pessoas.',

    started: (channel, text) =>
      `Interpretando ${channel}. Fale o seu idioma; as legendas estão em ${text}. Para definir o seu idioma, use \`/interpret language\`.`,
    startedCaptionsOnly: (channel, text) =>
      `Escrevendo legendas de ${channel} em ${text}, sem falar. Para definir o seu idioma, use \`/interpret language\`.`,
    runningHere: 'Este canal já está sendo interpretado.',
    runningElsewhere: channel =>
      `Já estou interpretando ${channel}, e só posso estar em um canal por servidor. Para parar lá, use \`/interpret stop\`.`,
    joinFirst: 'Entre primeiro em um canal de voz ou indique um.',
    beThere: channel =>
      `Entre primeiro em ${channel}. De fora, só podem iniciar os membros que podem gerenciar canais.`,
    noVoiceChannel: channel => `${channel} não é um canal de voz.`,
    notAllowedThere: channel => `Você não tem permissão para entrar em ${channel}.`,
    restChannel: channel => `${channel} é o canal de inatividade, onde não se pode falar.`,
    channelFull: (channel, limit) =>
      `${channel} está cheio (${limit}). Aumente o limite de usuários ou permita que eu mova membros.`,
    missing: (channel, permissions) => `Em ${channel}, preciso destas permissões:\n${permissions}`,
    giveThem: role =>
      `Quem gerencia o servidor pode concedê-las: editar o canal, Permissões, cargo **${role}**.`,
    withoutThem: 'Até lá, as legendas funcionam sem elas.',
    timedOut: 'Um moderador me colocou de castigo: até acabar, não posso escrever nem falar.',
    noThreadHere: 'O chat de um canal de voz não tem tópicos, por isso as legendas vão para o próprio chat.',
    wrongCode: 'Nenhuma conversa tem este código. Os códigos expiram; peça um novo.',
    tooManyCodes: 'Muitos códigos errados. Espere alguns minutos.',
    noCapacity: 'Todas as vagas para conversas estão ocupadas. Tente mais tarde.',
    ends: {
      kicked: 'Um moderador me desconectou enquanto eu entrava.',
      taken: channel =>
        `Outra função deste bot, como a música, está usando a voz dele em ${channel}. Encerre-a primeiro: só posso estar em um canal de voz.`,
      takenSomewhere:
        'Outra função deste bot, como a música, está usando a voz dele neste servidor. Encerre-a primeiro: só posso estar em um canal de voz.',
      permissions: 'Não consegui entrar: falta uma permissão.',
      channelGone: 'O canal não existe mais.',
      encryption: 'A criptografia com o Discord falhou, por isso saí. Tente de novo daqui a pouco.',
      refused: code => `O Discord recusou a conexão (código ${code}).`,
      unreachable: attempts =>
        `Sem conexão de voz após ${attempts} tentativas. Tente de novo ou escolha outra região para o canal.`,
      closing: 'Estou reiniciando. Tente de novo em um minuto.',
      other: 'A interpretação terminou logo depois de começar.',
    },
    permissions: {
      ViewChannel: 'Ver canal',
      Connect: 'Conectar',
      Speak: 'Falar',
      RequestToSpeak: 'Pedir para falar',
      SendMessages: 'Enviar mensagens',
      EmbedLinks: 'Inserir links',
      ReadMessageHistory: 'Ver histórico de mensagens',
      CreatePublicThreads: 'Criar tópicos públicos',
      SendMessagesInThreads: 'Enviar mensagens em tópicos',
      ChangeNickname: 'Mudar apelido',
      ManageWebhooks: 'Gerenciar webhooks',
    },

    stopped: channel => `Parei de interpretar ${channel}.`,

    languageIs: language => `O seu idioma é **${language}**.`,
    languageOf: (name, language) => `O idioma de ${name} é **${language}**.`,
    keptUntilRestart: 'Guardo até eu reiniciar; com `remember`, por mais tempo.',
    remembered: 'Vou me lembrar. Para apagar, use `/interpret privacy forget`.',
    notUnderstood: language =>
      `Você pode ouvir e ler ${language} aqui, mas eu não reconheço esse idioma: o que se diz nele não é traduzido.`,
    unknownLanguage: text => `“${text}” não é um idioma que eu conheça.`,
    perhaps: languages => `Tente: ${languages}`,
    languagesUnavailable: 'Não consigo obter os idiomas do serviço de tradução. Tente de novo daqui a pouco.',
    stillOptedOut:
      'Você pediu para não ser ouvido, então não ouço você. Para mudar isso, use `/interpret privacy opt-in`.',

    outputAuto:
      'Os idiomas falados dependem das pessoas do canal: com dois idiomas, os dois; caso contrário, veja `/interpret status`.',
    outputIs: languages => `Falado no canal: **${languages}**. Os outros têm legendas.`,
    noVoice: language => `Não há voz para ${language}.`,

    captionsAre: style => `Legendas: **${style}**.`,
    captionsOff: 'As legendas estão desativadas.',
    inThread: 'Vão para um tópico separado.',
    captionsFailed: 'Não deu certo: não tenho permissão para escrever lá.',

    status: {
      joining: channel => `**Entrando em ${channel} …**`,
      listening: channel => `🔴 **Interpretando ${channel}**`,
      reconnecting: channel => `**Conexão com ${channel} perdida. Reconectando …**`,
      paused: channel => `⏸ **A interpretação de ${channel} está em pausa**`,
      since: time => `Iniciado ${time}`,
      encrypted: 'Com criptografia de ponta a ponta no Discord',
      notEncrypted: 'Sem criptografia de ponta a ponta',
      output: output => `Saída: ${output}`,
      auto: 'automática',
      spoken: languages => `Falado agora: ${languages}`,
      written: languages => `Legendas agora: ${languages}`,
      nothing: 'nada',
      captions: (style, channel) => `Legendas: ${style}, em ${channel}`,
      speakers: 'Pessoas:',
      nobody: 'Não há ninguém no canal.',
      optedOut: 'pediu para não ser ouvido',
      notOptedIn: 'ainda não concordou',
      noRole: 'não tem o cargo',
      from: {
        asked: 'definido por comando',
        remembered: 'lembrado',
        locale: 'das configurações do Discord',
        default: 'suposto',
      },
      more: count => `e mais ${count}`,
      unavailable: '⚠️ O serviço de tradução está indisponível. Continuo tentando.',
    },

    privacy: {
      info: 'Enquanto um canal é interpretado, as vozes dele vão para um serviço de tradução, que as reconhece e traduz. As legendas são mensagens comuns e ficam no chat até serem apagadas. Você pode recusar a qualquer momento com `/interpret privacy opt-out`: a partir daí, não recebo nada seu.',
      nothingKept: 'Não guardo nada sobre você.',
      keptLanguage: language => `Lembro o seu idioma: ${language}.`,
      sessionLanguage: language => `Até eu reiniciar, sei o seu idioma: ${language}.`,
      youOptedOut: 'Lembro que você pediu para não ser ouvido.',
      optedOut:
        'Não ouço mais você, nem aqui nem em outro servidor. Você continua ouvindo e lendo os outros. Para mudar isso, use `/interpret privacy opt-in`.',
      optedIn: 'Você está sendo interpretado.',
      optedInLater:
        'A sua recusa foi apagada. Aqui só ouço quem concorda: clique no botão do aviso quando um canal for interpretado.',
      noRole: 'Neste servidor, só membros com um certo cargo são interpretados, e você não o tem.',
      forgotten:
        'Apaguei tudo o que guardava sobre você, inclusive a sua recusa, se havia. As legendas são mensagens: apague-as você mesmo ou peça a um moderador.',
    },

    dial: {
      off: 'As ligações telefônicas não estão configuradas neste servidor.',
      notYou:
        'Você não pode ligar para telefones: é preciso um certo cargo ou permissão para gerenciar o servidor.',
      noNumber: 'Esse número de telefone não é válido. Inclua o código do país, como +5511912345678.',
      calling: 'Chamando …',
      announced: (name, language) =>
        `${name} está ligando para um telefone (${language}) para adicioná-lo a esta conversa. Quem atender vai ouvir vocês.`,
      joined: 'O telefone entrou na conversa.',
      answered: 'Atenderam e estão na conversa.',
      busy: 'A linha está ocupada.',
      noAnswer: 'Ninguém atendeu.',
      voicemail: 'Caiu na caixa postal, por isso desliguei.',
      canceled: 'A ligação terminou antes que alguém atendesse.',
      callFailed: 'A ligação falhou.',
      refused: 'Não são permitidas ligações para este número.',
      capacity: 'Há muitas ligações em curso. Tente mais tarde.',
    },

    invite: {
      byPhone: (numbers, code) => `Por telefone: ligue para ${numbers} e digite **${code}**.`,
      byDiscord: code => `De outro servidor: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `O código vale por ${minutes} minutos, para quem o tiver. Quem entra ouve este canal.`,
      noCodes: 'Há códigos ativos demais. Tente mais tarde.',
    },

    listen: {
      link: (url, minutes) =>
        `Ouça este canal no seu idioma: ${url}\nO link vale por ${minutes} minutos para todas as pessoas a quem você o der: compartilhe-o só com quem pode ouvir este canal. Quem ouve não é ouvido. Silencie o canal no Discord para não ouvi-lo duas vezes.`,
      off: 'Ouvir em um navegador não está configurado aqui. O operador deste bot precisa definir `publicUrl`.',
    },

    pause: {
      paused: 'Em pausa. Fico no canal e não envio nada. Para continuar, use `/interpret resume`.',
      resumed: 'A interpretação continua.',
      already: 'A interpretação já está em pausa. Para continuar, use `/interpret resume`.',
      notPaused: 'A interpretação não está em pausa.',
    },

    transcript: {
      file: count => `Falas até agora: ${count}. Só você vê este arquivo. Quem recusou não aparece nele.`,
      shortened: 'Falta o começo, porque o arquivo seria grande demais para o Discord.',
      empty: 'Ainda não foi dito nada.',
      off: 'Aqui não se guardam transcrições. O operador deste bot precisa ativá-las.',
    },

    buttons: {
      agree: 'Interprete-me',
      pause: 'Pausar',
      resume: 'Continuar',
      optOut: 'Não me ouça',
      optIn: 'Volte a me ouvir',
      privacy: 'O que acontece com a minha voz?',
      language: 'Eu falo…',
    },
  },
}
