import type { ChannelWords } from './channel-words.ts'

export const SPANISH_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretación en directo en ${channel}**, iniciada por ${by}. Lo que se dice allí se envía a un servicio de traducción y aparece en subtítulos. No se graba ni se guarda nada. ¿No quiere que le escuche? Pulse el botón o escriba \`/interpret privacy opt-out\`: tiene efecto al instante. Para elegir su idioma, escriba \`/interpret language\`.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: lo que se dice en ${channel} se envía a un servicio de traducción y aparece en subtítulos; no se guarda nada. Para negarse, pulse el botón o escriba \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ La interpretación en ${channel} ha terminado. Ya no escucho.`,
  kicked: 'Me han desconectado, así que he parado.',
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
  serviceAway:
    '⚠️ El servicio de traducción no está disponible. Sigo intentándolo; mientras tanto, no hay subtítulos.',
  serviceBack: 'El servicio de traducción no ha estado disponible durante un rato. Ya funciona.',
  headphones: name => `${name}, su micrófono capta lo que digo. Use auriculares, por favor.`,
  thread: 'Subtítulos',
  telephone: 'teléfono',
}
