import type { Words } from './types.ts'

export const GERMAN: Words = {
  notices: {
    connecting:
      'Bitte warten Sie, wir verbinden Sie [mit {name}]. Dieses Gespräch wird von einem Computer gedolmetscht.',
    busy: 'Der Anschluss ist besetzt. Bitte versuchen Sie es später.',
    'no-answer': 'Es meldet sich niemand. Bitte versuchen Sie es später.',
    'call-failed': 'Es tut uns leid. Die Verbindung konnte nicht hergestellt werden.',
    voicemail: 'Eine Mailbox hat abgenommen, deshalb haben wir aufgelegt.',
    incoming:
      'Sie haben einen Anruf [von {name}]. Ein Computer dolmetscht. Bitte sprechen Sie Ihre eigene Sprache.',
    connected: 'Sie sind verbunden. Bitte sprechen Sie Ihre eigene Sprache.',
    'other-left': 'Die andere Seite hat aufgelegt.',
    goodbye: 'Auf Wiederhören.',
    'service-unavailable': 'Das Dolmetschen ist vorübergehend unterbrochen. Sie hören einander direkt.',
    'service-back': 'Das Dolmetschen geht weiter.',
    'interpreting-paused': 'Das Dolmetschen ist angehalten. Sie hören einander direkt.',
    'interpreting-resumed': 'Das Dolmetschen geht weiter.',
    'nothing-to-repeat': 'Es gibt nichts zu wiederholen.',
    'language-changed': 'Ihre Sprache ist jetzt Deutsch.',
    muted: 'Sie sind stumm geschaltet.',
    unmuted: 'Man hört Sie wieder.',
    recording: 'Dieses Gespräch wird aufgezeichnet.',
    'recording-paused': 'Die Aufzeichnung ist angehalten.',
    'recording-resumed': 'Die Aufzeichnung geht weiter.',
    'minutes-left': 'Dieses Gespräch endet in {minutes} Minuten.',
    'time-up': 'Die Höchstdauer dieses Gesprächs ist erreicht.',
    options:
      '[Drücken Sie {pause}, um das Dolmetschen anzuhalten oder fortzusetzen.] [{repeat} wiederholt die letzte Übersetzung.] ' +
      '[{mute} schaltet Sie stumm.] [{language} und eine Ziffer wechseln Ihre Sprache.] ' +
      '[{recording} hält die Aufzeichnung an.] [{options} wiederholt diese Ansage.]',
    'choose-language': 'Für Deutsch drücken Sie {key}.',
    'enter-room-code': 'Bitte geben Sie den Code Ihres Gesprächs ein und drücken Sie dann Raute.',
    'wrong-room-code': 'Dieser Code ist ungültig.',
    'line-full': 'Alle Leitungen sind belegt. Bitte versuchen Sie es später.',
    'channel-interpreted': 'In diesem Kanal dolmetscht ein Computer. Bitte sprechen Sie Ihre eigene Sprache.',
    'phone-joined': 'Jemand ist per Telefon beigetreten.',
    'minutes-spent': 'Heute können keine weiteren Anrufe getätigt werden. Bitte versuchen Sie es morgen.',
    'channel-unavailable': 'Der Sprachkanal ist vorübergehend nicht erreichbar. Bitte warten Sie.',
    'channel-mute': 'Der Sprachkanal hört Sie gerade nicht. Man kann dort lesen, was Sie sagen.',
    'channel-deaf': 'Sie können den Sprachkanal gerade nicht hören.',
    'channel-back': 'Der Sprachkanal ist wieder erreichbar.',
  },
  keys: {
    0: 'null',
    1: 'eins',
    2: 'zwei',
    3: 'drei',
    4: 'vier',
    5: 'fünf',
    6: 'sechs',
    7: 'sieben',
    8: 'acht',
    9: 'neun',
    '*': 'Stern',
    '#': 'Raute',
  },
}
