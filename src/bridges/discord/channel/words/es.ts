import type { ChannelWords } from '../channel-words.ts'

export const SPANISH: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretación en directo en ${channel}**, iniciada por ${by}. Lo que se dice allí se envía a un servicio de ` +
    'traducción y aparece en subtítulos. No se graba ni se guarda nada. ¿No quiere que le escuchemos? Pulse el botón o ' +
    'escriba `/interpret privacy opt-out`: tiene efecto al instante. `/interpret language` elige su idioma.',
  newcomers: (names, channel) =>
    `🔴 ${names}: lo que se dice en ${channel} se envía a un servicio de traducción y aparece en subtítulos; no se ` +
    'guarda nada. Con el botón o `/interpret privacy opt-out` puede negarse.',
  ended: channel => `⚪ La interpretación en ${channel} ha terminado. Ya no se escucha a nadie.`,
  kicked: 'Me han desconectado; he parado.',
  lost: 'He perdido la conexión de voz y no he podido recuperarla; he parado.',
  encryption: 'No he podido acordar el cifrado con Discord; he parado.',
  permissions: 'Ya no puedo estar en este canal; he parado.',
  empty: 'No quedaba nadie; he parado.',
  askedToSpeak:
    'He pedido la palabra en este escenario. Hasta que un moderador me la dé solo hay subtítulos.',
  muted: 'Estoy silenciado; solo hay subtítulos.',
  deafened: 'Estoy ensordecido: no oigo a nadie y no traduzco nada.',
  noSpeak: 'No puedo hablar en este canal; solo hay subtítulos.',
  noAudio: 'Veo que se habla y no recibo sonido. El operador del bot debería comprobar si pasa UDP.',
  full: 'Hay más personas de las que puedo escuchar ahora. A algunas no se las traduce.',
  serviceAway:
    '⚠️ No se puede contactar con el servicio de traducción. Sigo intentándolo; mientras tanto no hay subtítulos.',
  serviceBack: 'El servicio de traducción no estuvo disponible durante un rato. Ya ha vuelto.',
  headphones: name => `${name}, su micrófono capta lo que digo. Use auriculares, por favor.`,
  thread: 'Subtítulos',
  telephone: 'teléfono',
}
