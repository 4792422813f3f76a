import type { Words } from './words.ts'

export const PORTUGUESE: Words = {
  commands: {
    interpret: ['interpretar', 'Interpretação ao vivo de um canal de voz: cada pessoa fala a sua língua'],
    start: ['iniciar', 'Começar a interpretar um canal de voz'],
    stop: ['parar', 'Parar de interpretar'],
    language: ['idioma', 'Dizer que idioma você fala e lê'],
    output: ['saída', 'Escolher o que se ouve no canal'],
    captions: ['legendas', 'Escolher como são as legendas e para onde vão'],
    status: ['estado', 'Mostrar o que se interpreta, e para quem'],
    privacy: ['privacidade', 'O que acontece com a sua voz, e como dizer não'],
    info: ['informações', 'O que acontece com a sua voz, e o que se guarda sobre você'],
    optOut: ['não-me-ouvir', 'Não me ouvir, nem agora nem no futuro'],
    optIn: ['me-ouvir', 'Voltar a me ouvir'],
    forget: ['esquecer', 'Apagar tudo o que se guarda sobre você'],
    dial: ['ligar', 'Ligar para um telefone e juntá-lo à conversa'],
    invite: ['convidar', 'Obter um código com que outros entram na conversa'],
    options: {
      channel: ['canal', 'O canal de voz (senão, aquele em que você está)'],
      captionsOnly: ['só-legendas', 'Escrever legendas sem dizer nada no canal'],
      roomCode: ['código', 'O código de uma conversa em que entrar'],
      language: ['idioma', 'Comece a digitar o nome'],
      user: ['usuário', 'Outra pessoa (só moderadores)'],
      remember: ['lembrar', 'Guardar para a próxima vez (senão, não)'],
      first: ['primeiro', 'Um idioma, ou automático'],
      second: ['segundo', 'Mais um idioma'],
      style: ['estilo', 'Como são as legendas'],
      thread: ['tópico', 'Em um tópico próprio'],
      number: ['número', 'O número de telefone, como +5511912345678'],
      theirLanguage: ['idioma', 'O que fala a pessoa ao telefone'],
    },
    styles: { embed: 'Em cores', plain: 'Texto simples', off: 'Sem legendas' },
    readOnly: 'só para ouvir e ler',
    auto: 'Automático: como as pessoas do canal precisam',
  },
  answers: {
    onlyInServers: 'Isto só funciona em servidores.',
    notInvited: url =>
      `Não sou membro deste servidor: só meus comandos foram instalados. Peça a quem possa gerenciar o servidor que me adicione como bot: ${url}`,
    notThisServer: 'Não estou configurado para este servidor.',
    unknownCommand:
      'Não conheço este comando. Talvez o Discord mostre uma lista antiga: reinicie-o e tente de novo.',
    failed: 'Não deu certo, e a culpa não é sua. Tente de novo daqui a pouco.',
    tooFast: seconds => `Foi muito de uma vez. Espere ${seconds} s.`,
    notRunning: 'Nada está sendo interpretado aqui agora. `/interpret start` começa.',
    notYours:
      'Só podem mudar isso as pessoas nesse canal de voz, quem o iniciou e quem pode gerenciar canais.',
    moderatorsOnly: 'Para outros, só pode fazer isso quem pode silenciar membros ou gerenciar canais.',

    started: (channel, text) =>
      `Interpreto ${channel}. Fale a sua língua; as legendas estão em ${text}. \`/interpret language\` escolhe a sua.`,
    startedCaptionsOnly: (channel, text) =>
      `Escrevo legendas de ${channel} em ${text}; nada é dito. \`/interpret language\` escolhe o seu idioma.`,
    runningHere: 'Este canal já está sendo interpretado.',
    runningElsewhere: channel =>
      `Já interpreto ${channel}, e só posso estar em um canal de cada servidor. \`/interpret stop\` termina lá.`,
    joinFirst: 'Entre primeiro em um canal de voz, ou indique um.',
    beThere: channel => `Entre primeiro em ${channel}. De fora, só pode iniciar quem pode gerenciar canais.`,
    noVoiceChannel: channel => `${channel} não é um canal de voz.`,
    notAllowedThere: channel => `Você mesmo não pode entrar em ${channel}.`,
    restChannel: channel => `${channel} é o canal dos ausentes: lá ninguém pode falar.`,
    channelFull: (channel, limit) =>
      `${channel} está cheio (${limit}). Aumente o limite de usuários, ou permita que eu mova membros.`,
    missing: (channel, permissions) => `Em ${channel} me falta:\n${permissions}`,
    giveThem: role =>
      `Quem gerencia o servidor pode me dar isso: editar o canal, Permissões, cargo **${role}**.`,
    withoutThem: 'Até lá as legendas ficam sem isso.',
    timedOut: 'Um moderador me colocou de castigo: até acabar não posso escrever nem falar.',
    noThreadHere: 'No chat de um canal de voz não há tópicos: as legendas vão para o próprio chat.',
    wrongCode: 'Não há conversa com este código. Os códigos expiram; peça um novo.',
    tooManyCodes: 'Códigos errados demais. Espere alguns minutos.',
    noCapacity: 'Já há tantas conversas quanto possível. Tente mais tarde.',
    ends: {
      kicked: 'Um moderador me desconectou enquanto eu entrava.',
      permissions: 'O Discord não me deixou entrar: falta uma permissão.',
      channelGone: 'O canal não existe mais.',
      encryption:
        'Não consegui combinar a criptografia com o Discord, por isso saí. Tente de novo daqui a pouco.',
      refused: code => `O Discord recusou a conexão (código ${code}).`,
      unreachable: attempts =>
        `Tentei ${attempts} vezes e não obtive uma conexão de voz. Tente de novo, ou escolha outra região para o canal.`,
      closing: 'Estão me reiniciando. Tente de novo em um minuto.',
      other: 'A interpretação terminou assim que começou.',
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
    },

    stopped: channel => `Parei de interpretar ${channel}.`,

    languageIs: language => `O seu idioma é **${language}**.`,
    languageOf: (name, language) => `O idioma de ${name} é **${language}**.`,
    keptUntilRestart: 'Guardo até me reiniciarem; com `remember`, por mais tempo.',
    remembered: 'Eu me lembro. `/interpret privacy forget` apaga.',
    notUnderstood: language =>
      `${language} pode ser ouvido e lido aqui, mas não reconhecido: o que se diz nesse idioma não é traduzido.`,
    unknownLanguage: text => `“${text}” não é um idioma que eu tenha.`,
    perhaps: languages => `Talvez: ${languages}`,
    languagesAway:
      'Não consigo perguntar agora ao serviço de tradução os seus idiomas. Tente de novo daqui a pouco.',
    stillOptedOut:
      'Você pediu para não ser ouvido, então ninguém ouve você. `/interpret privacy opt-in` muda isso.',

    outputAuto:
      'O que se ouve segue as pessoas do canal: com dois idiomas, os dois; com um ou muitos, veja `/interpret status`.',
    outputIs: languages => `No canal se ouve: **${languages}**. Para os outros continuam as legendas.`,
    noVoice: language => `Não há voz para ${language}.`,

    captionsAre: style => `Legendas: **${style}**.`,
    captionsOff: 'Não se escrevem mais legendas.',
    inThread: 'Vão para um tópico próprio.',
    captionsFailed: 'Não deu certo: não posso escrever lá.',

    status: {
      joining: channel => `**Entrando em ${channel} …**`,
      listening: channel => `🔴 **Interpretando ${channel}**`,
      reconnecting: channel => `**A conexão com ${channel} caiu; estou tentando recuperá-la.**`,
      since: time => `Desde ${time}`,
      encrypted: 'Criptografado de ponta a ponta até onde vai o Discord',
      notEncrypted: 'Sem criptografia de ponta a ponta',
      output: output => `Saída: ${output}`,
      auto: 'automática',
      spoken: languages => `Ouve-se agora: ${languages}`,
      written: languages => `Legendas agora: ${languages}`,
      nothing: 'nada',
      captions: (style, channel) => `Legendas: ${style}, em ${channel}`,
      speakers: 'Pessoas:',
      nobody: 'Ainda não se ouve ninguém.',
      optedOut: 'disse não, não é ouvido',
      from: {
        asked: 'como disse',
        remembered: 'lembrado',
        locale: 'do seu Discord',
        default: 'suposto',
      },
      more: count => `e mais ${count}`,
      away: '⚠️ O serviço de tradução não responde agora. Continuo tentando.',
    },

    privacy: {
      info:
        'Enquanto um canal é interpretado, as vozes vão para um serviço de tradução, que as reconhece e traduz. Não guardo ' +
        'gravações. As legendas são mensagens comuns e ficam no chat até serem apagadas. Você pode dizer não a qualquer ' +
        'momento com `/interpret privacy opt-out`: a partir daí não recebo nada seu.',
      nothingKept: 'Não guardo nada sobre você.',
      keptLanguage: language => `Lembro o seu idioma: ${language}.`,
      sessionLanguage: language => `Até me reiniciarem sei o seu idioma: ${language}.`,
      youOptedOut: 'Lembro que você pediu para não ser ouvido.',
      optedOut:
        'Não ouço mais você, nem aqui nem em outro servidor. Você continua ouvindo e lendo os outros. ' +
        '`/interpret privacy opt-in` muda isso.',
      optedIn: 'A partir de agora você é interpretado de novo.',
      forgotten:
        'Tudo o que eu guardava sobre você foi apagado, também o seu não, se havia. As legendas são mensagens: apague-as você, ou peça a um moderador.',
    },

    dial: {
      off: 'Neste servidor não se pode ligar para telefones.',
      notYou:
        'Você não pode ligar para telefones: é preciso um certo cargo, ou permissão para gerenciar o servidor.',
      noNumber: 'Isso não é um número de telefone. Escreva-o com o país, como +5511912345678.',
      calling: 'Está chamando …',
      announced: (name, language) =>
        `${name} está ligando para um telefone (${language}) para juntá-lo a esta conversa. Quem atender vai ouvir vocês.`,
      joined: 'O telefone entrou na conversa.',
      answered: 'Atenderam e estão na conversa.',
      busy: 'A linha está ocupada.',
      noAnswer: 'Ninguém atendeu.',
      voicemail: 'Uma secretária eletrônica atendeu; desliguei.',
      cancelled: 'A ligação terminou antes que alguém atendesse.',
      callFailed: 'A ligação falhou.',
      refused: 'Não se pode ligar para este número.',
      capacity: 'Há ligações demais em curso. Tente mais tarde.',
    },

    invite: {
      byPhone: (numbers, code) => `Por telefone: ligue para ${numbers} e digite **${code}**.`,
      byDiscord: code => `De outro servidor: \`/interpret start room-code:${code}\``,
      goodFor: minutes =>
        `O código vale ${minutes} minutos, para todos os que o têm. Quem entra ouve este canal.`,
      noCodes: 'Há códigos demais agora. Tente mais tarde.',
    },

    buttons: { optOut: 'Não me ouça', optIn: 'Volte a me ouvir', privacy: 'O que acontece com a minha voz?' },
  },
}
