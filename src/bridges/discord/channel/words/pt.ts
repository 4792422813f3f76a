import type { ChannelWords } from '../channel-words.ts'

export const PORTUGUESE: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Interpretação ao vivo em ${channel}**, iniciada por ${by}. O que se diz ali é enviado a um serviço de tradução ` +
    'e mostrado em legendas. Nada é gravado nem guardado. Não quer ser ouvido? Carregue no botão ou escreva ' +
    '`/interpret privacy opt-out`: tem efeito imediato. `/interpret language` define o seu idioma.',
  newcomers: (names, channel) =>
    `🔴 ${names}: o que se diz em ${channel} é enviado a um serviço de tradução e mostrado em legendas; nada é guardado. ` +
    'O botão ou `/interpret privacy opt-out` permite recusar.',
  ended: channel => `⚪ A interpretação em ${channel} terminou. Já ninguém é ouvido.`,
  kicked: 'Fui desligado e parei.',
  lost: 'Perdi a ligação de voz e não a consegui recuperar; parei.',
  encryption: 'Não foi possível acordar a encriptação com o Discord; parei.',
  permissions: 'Já não posso estar neste canal; parei.',
  empty: 'Não restava ninguém; parei.',
  askedToSpeak: 'Pedi a palavra neste palco. Até um moderador ma dar há apenas legendas.',
  muted: 'Estou silenciado; há apenas legendas.',
  deafened: 'Estou sem áudio: não ouço ninguém e não traduzo nada.',
  noSpeak: 'Não posso falar neste canal; há apenas legendas.',
  noAudio: 'Vejo que se fala e não recebo som. O operador do bot deve verificar se o UDP passa.',
  full: 'Há mais pessoas do que consigo ouvir agora. Algumas não são traduzidas.',
  serviceAway: '⚠️ Não consigo contactar o serviço de tradução. Continuo a tentar; até lá não há legendas.',
  serviceBack: 'O serviço de tradução esteve inacessível durante algum tempo. Já voltou.',
  headphones: name => `${name}, o seu microfone capta o que eu digo. Use auscultadores, por favor.`,
  thread: 'Legendas',
  telephone: 'telefone',
}
