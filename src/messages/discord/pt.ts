import type { ChannelWords } from './channel-words.ts'

export const PORTUGUESE_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretação ao vivo em ${channel}**, iniciada por ${by}. O que se diz ali é enviado a um serviço de tradução e mostrado em legendas. Nada é gravado nem guardado. Não quer ser ouvido? Clique no botão ou digite \`/interpret privacy opt-out\`: tem efeito imediato. Para definir o seu idioma, digite \`/interpret language\`.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: o que se diz em ${channel} é enviado a um serviço de tradução e mostrado em legendas; nada é guardado. Para recusar, clique no botão ou digite \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ A interpretação em ${channel} terminou. Não estou mais ouvindo.`,
  kicked: 'Fui desconectado, por isso parei.',
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
  serviceAway: '⚠️ O serviço de tradução está indisponível. Continuo tentando; até lá, não há legendas.',
  serviceBack: 'O serviço de tradução ficou indisponível por algum tempo. Já voltou.',
  headphones: name => `${name}, o seu microfone capta o que eu digo. Use fones de ouvido, por favor.`,
  thread: 'Legendas',
  telephone: 'telefone',
}
