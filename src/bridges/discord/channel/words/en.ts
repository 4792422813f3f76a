import type { ChannelWords } from '../channel-words.ts'

export const ENGLISH: ChannelWords = {
  listening: (by, channel) =>
    `🔴 **Live interpreting in ${channel}**, started by ${by}. What people say there is sent to a translation service and ` +
    'shown as captions. No recording is made and nothing is kept. You do not want to be listened to? Press the button ' +
    'or type `/interpret privacy opt-out`: it works at once. `/interpret language` sets your language.',
  newcomers: (names, channel) =>
    `🔴 ${names}: what people say in ${channel} is sent to a translation service and shown as captions; nothing is ` +
    'kept. The button or `/interpret privacy opt-out` says no.',
  ended: channel => `⚪ Interpreting in ${channel} has ended. Nobody is listened to any more.`,
  kicked: 'I was disconnected, so I have stopped.',
  lost: 'I lost the voice connection and could not get it back, so I have stopped.',
  encryption: 'I could not agree on encryption with Discord, so I have stopped.',
  permissions: 'I may not be in this channel any more, so I have stopped.',
  empty: 'Nobody was left, so I have stopped.',
  askedToSpeak: 'I have asked to speak on this stage. Until a moderator lets me there are captions only.',
  muted: 'I am muted, so there are captions only.',
  deafened: 'I am deafened, so I hear nobody and translate nothing.',
  noSpeak: 'I may not speak in this channel, so there are captions only.',
  noAudio:
    'I see people speak and get no audio. The operator of this bot should look whether UDP is let through.',
  full: 'More people are here than I can listen to just now. Some are not translated.',
  serviceAway:
    '⚠️ The translation service cannot be reached. I keep trying; until then there are no captions.',
  serviceBack: 'The translation service was out of reach for a while. It is back.',
  headphones: name => `${name}, your microphone picks up what I say. Please use headphones.`,
  thread: 'Captions',
  telephone: 'telephone',
}
