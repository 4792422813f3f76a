import type { ChannelWords } from './channel-words.ts'

export const ENGLISH_CHANNEL: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Live interpreting in ${channel}**, started by ${by}. Speech there is sent to a translation service and shown as captions. Nothing is recorded or kept. To opt out, press the button or type \`/interpret privacy opt-out\`: it works immediately. To set your language, type \`/interpret language\`.`,
  newcomers: (names, channel) =>
    `🔴 ${names}: speech in ${channel} is sent to a translation service and shown as captions; nothing is kept. To opt out, press the button or type \`/interpret privacy opt-out\`.`,
  ended: channel => `⚪ Interpreting in ${channel} has ended. I am no longer listening.`,
  kicked: 'I was disconnected, so I stopped.',
  lost: 'I lost the voice connection and could not restore it, so I stopped.',
  encryption: 'Encryption with Discord failed, so I stopped.',
  permissions: 'I no longer have access to this channel, so I stopped.',
  empty: 'Everyone left, so I stopped.',
  askedToSpeak: 'I asked to speak on this stage. Until a moderator allows it, there are only captions.',
  muted: 'I am muted, so there are only captions.',
  deafened: 'I am deafened, so I cannot hear or translate anyone.',
  noSpeak: 'I am not allowed to speak in this channel, so there are only captions.',
  noAudio:
    'People are speaking, but no audio arrives. The operator of this bot should check whether UDP is blocked.',
  full: 'There are more people here than I can listen to. Some are not translated.',
  serviceAway: '⚠️ The translation service is unavailable. I keep trying; until then, there are no captions.',
  serviceBack: 'The translation service was unavailable for a while. It is back.',
  headphones: name => `${name}, your microphone picks up what I say. Please use headphones.`,
  thread: 'Captions',
  telephone: 'phone',
}
