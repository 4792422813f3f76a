import type { Words } from '../words.ts'

export const ITALIAN: Words = {
  notices: {
    connecting:
      'Attenda, per favore. La stiamo collegando [con {name}]. Un computer interpreta questa chiamata.',
    busy: 'La linea è occupata. Riprovi più tardi.',
    'no-answer': 'Nessuno risponde. Riprovi più tardi.',
    'call-failed': 'Ci dispiace. Non è possibile effettuare la chiamata.',
    voicemail: 'Ha risposto una segreteria. Abbiamo chiuso la chiamata.',
    incoming: 'Ha una chiamata [da {name}]. La interpreta un computer. Parli nella sua lingua, per favore.',
    connected: 'Siete in linea. Parli nella sua lingua, per favore.',
    'other-left': 'L’altra parte ha riattaccato.',
    goodbye: 'Arrivederci.',
    'service-away': 'L’interpretazione è interrotta. Ora vi sentite direttamente.',
    'service-back': 'L’interpretazione riprende.',
    'interpreting-paused': 'L’interpretazione è in pausa. Ora vi sentite direttamente.',
    'interpreting-resumed': 'L’interpretazione riprende.',
    'nothing-to-repeat': 'Non c’è nulla da ripetere.',
    'language-changed': 'Ora la sua lingua è l’italiano.',
    muted: 'Il suo microfono è spento.',
    unmuted: 'Ora la si sente di nuovo.',
    recording: 'Questa chiamata viene registrata.',
    'recording-paused': 'La registrazione è in pausa.',
    'recording-resumed': 'La registrazione riprende.',
    'minutes-left': 'Questa chiamata termina tra {minutes} minuti.',
    'time-up': 'Il tempo di questa chiamata è scaduto.',
    options:
      '[Prema {pause} per sospendere o riprendere l’interpretazione.] [Prema {repeat} per riascoltare l’ultima traduzione.] ' +
      '[Prema {mute} per spegnere il microfono.] [Prema {language} e una cifra per cambiare lingua.] ' +
      '[Prema {recording} per sospendere la registrazione.] [Prema {options} per riascoltare questo messaggio.]',
    'choose-language': 'Per l’italiano, prema {key}.',
    'enter-room-code': 'Inserisca il codice della conversazione e poi prema cancelletto.',
    'wrong-room-code': 'Questo codice non esiste.',
    'line-full': 'Tutte le linee sono occupate. Riprovi più tardi.',
    'channel-interpreted': 'Un computer interpreta ciò che si dice in questo canale. Parli nella sua lingua.',
    'phone-joined': 'Qualcuno si è unito per telefono.',
    'minutes-spent': 'Oggi non si possono fare altre chiamate. Riprovi domani.',
  },
  keys: {
    0: 'zero',
    1: 'uno',
    2: 'due',
    3: 'tre',
    4: 'quattro',
    5: 'cinque',
    6: 'sei',
    7: 'sette',
    8: 'otto',
    9: 'nove',
    '*': 'asterisco',
    '#': 'cancelletto',
  },
}
