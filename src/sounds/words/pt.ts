import type { Words } from '../words.ts'

export const PORTUGUESE: Words = {
  notices: {
    connecting:
      'Aguarde, por favor. Estamos a ligar a sua chamada [para {name}]. Um computador interpreta esta chamada.',
    busy: 'A linha está ocupada. Tente mais tarde.',
    'no-answer': 'Ninguém atende. Tente mais tarde.',
    'call-failed': 'Lamentamos. Não é possível completar a chamada.',
    voicemail: 'Uma máquina atendeu. Terminámos a chamada.',
    incoming: 'Tem uma chamada [de {name}]. Um computador interpreta. Fale na sua língua, por favor.',
    connected: 'Já estão ligados. Fale na sua língua, por favor.',
    'other-left': 'A outra parte desligou.',
    goodbye: 'Adeus.',
    'service-away': 'A interpretação foi interrompida. Agora ouvem-se diretamente.',
    'service-back': 'A interpretação continua.',
    'interpreting-paused': 'A interpretação está em pausa. Agora ouvem-se diretamente.',
    'interpreting-resumed': 'A interpretação continua.',
    'nothing-to-repeat': 'Não há nada para repetir.',
    'language-changed': 'A sua língua é agora o português.',
    muted: 'O seu microfone está desligado.',
    unmuted: 'Já se ouve a sua voz.',
    recording: 'Esta chamada está a ser gravada.',
    'recording-paused': 'A gravação está em pausa.',
    'recording-resumed': 'A gravação continua.',
    'minutes-left': 'Esta chamada termina dentro de {minutes} minutos.',
    'time-up': 'O tempo desta chamada terminou.',
    options:
      '[Prima {pause} para suspender ou continuar a interpretação.] [Prima {repeat} para ouvir de novo a última tradução.] ' +
      '[Prima {mute} para desligar o microfone.] [Prima {language} e um dígito para mudar de língua.] ' +
      '[Prima {recording} para suspender a gravação.] [Prima {options} para ouvir isto outra vez.]',
    'choose-language': 'Para português, prima {key}.',
    'enter-room-code': 'Introduza o código da conversa e depois prima cardinal.',
    'wrong-room-code': 'Este código não existe.',
    'line-full': 'Todas as linhas estão ocupadas. Tente mais tarde.',
    'channel-interpreted': 'Um computador interpreta o que se diz neste canal. Fale no seu próprio idioma.',
    'phone-joined': 'Alguém entrou por telefone.',
    'minutes-spent': 'Hoje já não é possível fazer mais chamadas. Tente amanhã.',
  },
  keys: {
    0: 'zero',
    1: 'um',
    2: 'dois',
    3: 'três',
    4: 'quatro',
    5: 'cinco',
    6: 'seis',
    7: 'sete',
    8: 'oito',
    9: 'nove',
    '*': 'asterisco',
    '#': 'cardinal',
  },
}
