import type { NoticeTexts } from '../notices.ts'

export const NOTICES: NoticeTexts = {
  notices: {
    connecting:
      'Veuillez patienter, nous vous mettons en relation [avec {name}]. Cet appel est interprété par un ordinateur.',
    busy: 'La ligne est occupée. Veuillez rappeler plus tard.',
    'no-answer': 'Personne ne répond. Veuillez rappeler plus tard.',
    'call-failed': 'Nous sommes désolés. L’appel n’a pas pu aboutir.',
    voicemail: 'Une messagerie a répondu, nous avons donc raccroché.',
    incoming:
      'Vous avez un appel [de {name}]. Il est interprété par un ordinateur. Veuillez parler votre langue.',
    connected: 'Vous êtes en ligne. Veuillez parler votre langue.',
    'other-left': 'Votre correspondant a raccroché.',
    goodbye: 'Au revoir.',
    'service-unavailable': 'L’interprétation est momentanément indisponible. Vous vous entendez directement.',
    'speaker-untranslated':
      'L’interprétation de {name} est momentanément indisponible. Vous entendez sa voix originale.',
    'self-untranslated': 'L’interprétation est momentanément indisponible.',
    'service-back': 'L’interprétation reprend.',
    'interpreting-paused': 'L’interprétation est en pause. Vous vous entendez directement.',
    'interpreting-resumed': 'L’interprétation reprend.',
    'nothing-to-repeat': 'Il n’y a rien à répéter.',
    'language-changed': 'Votre langue est maintenant le français.',
    muted: 'Votre micro est coupé.',
    unmuted: 'On vous entend à nouveau.',
    recording: 'Cet appel est enregistré.',
    'recording-paused': 'L’enregistrement est en pause.',
    'recording-resumed': 'L’enregistrement reprend.',
    'minutes-left': 'Cet appel se termine dans {minutes} minutes.',
    'time-up': 'Cet appel a atteint sa durée maximale.',
    options:
      '[Appuyez sur {pause} pour suspendre ou reprendre l’interprétation.] [Sur {repeat} pour réécouter la dernière traduction.] ' +
      '[Sur {mute} pour couper votre micro.] [Sur {language} et un chiffre pour changer de langue.] ' +
      '[Sur {recording} pour suspendre l’enregistrement.] [Sur {options} pour réécouter ce message.]',
    'choose-language': 'Pour le français, appuyez sur {key}.',
    'enter-room-code': 'Composez le code de votre conversation, puis appuyez sur dièse.',
    'wrong-room-code': 'Ce code n’est pas valide.',
    'line-full': 'Toutes les lignes sont occupées. Veuillez rappeler plus tard.',
    'channel-interpreted':
      'Un ordinateur interprète ce qui se dit dans ce salon. Parlez votre propre langue.',
    'phone-joined': 'Quelqu’un a rejoint la conversation par téléphone.',
    'minutes-spent': 'Plus aucun appel ne peut être passé aujourd’hui. Veuillez réessayer demain.',
    'channel-unavailable': 'Le salon vocal est momentanément indisponible. Veuillez patienter.',
    'channel-mute': 'Le salon vocal ne vous entend pas pour le moment. Il peut lire ce que vous dites.',
    'channel-deaf': 'Vous n’entendez pas le salon vocal pour le moment.',
    'channel-back': 'Le salon vocal est de nouveau disponible.',
  },
  keys: {
    0: 'zéro',
    1: 'un',
    2: 'deux',
    3: 'trois',
    4: 'quatre',
    5: 'cinq',
    6: 'six',
    7: 'sept',
    8: 'huit',
    9: 'neuf',
    '*': 'étoile',
    '#': 'dièse',
  },
}
