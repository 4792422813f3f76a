import type { Words } from '../words.ts'

export const ENGLISH: Words = {
  notices: {
    connecting: 'Please wait while we connect you [to {name}]. This call is interpreted by a computer.',
    busy: 'The line is busy. Please try again later.',
    'no-answer': 'There is no answer. Please try again later.',
    'call-failed': 'We are sorry. The call cannot be connected.',
    voicemail: 'A machine has answered. We have ended the call.',
    incoming:
      'You have a call [from {name}]. It is interpreted by a computer. Please speak your own language.',
    connected: 'You are connected. Please speak your own language.',
    'other-left': 'The other side has hung up.',
    goodbye: 'Goodbye.',
    'service-away': 'Interpreting is interrupted. You hear each other directly.',
    'service-back': 'Interpreting continues.',
    'interpreting-paused': 'Interpreting is paused. You hear each other directly.',
    'interpreting-resumed': 'Interpreting continues.',
    'nothing-to-repeat': 'There is nothing to repeat.',
    'language-changed': 'Your language is now English.',
    muted: 'You are muted.',
    unmuted: 'You can be heard again.',
    recording: 'This call is being recorded.',
    'recording-paused': 'Recording is paused.',
    'recording-resumed': 'Recording continues.',
    'minutes-left': 'This call ends in {minutes} minutes.',
    'time-up': 'The time of this call is up.',
    options:
      '[Press {pause} to pause or resume interpreting.] [Press {repeat} to hear the last translation again.] ' +
      '[Press {mute} to mute yourself.] [Press {language} and a digit to change your language.] ' +
      '[Press {recording} to pause the recording.] [Press {options} to hear this again.]',
    'choose-language': 'For English, press {key}.',
    'enter-room-code': 'Please enter the code of your conversation, then press hash.',
    'wrong-room-code': 'This code is not known.',
    'line-full': 'All lines are in use. Please try again later.',
    'channel-interpreted': 'This channel is being interpreted by a computer. Please speak your own language.',
    'phone-joined': 'Somebody has joined by telephone.',
    'minutes-spent': 'No more calls can be placed today. Please try again tomorrow.',
  },
  keys: {
    0: 'zero',
    1: 'one',
    2: 'two',
    3: 'three',
    4: 'four',
    5: 'five',
    6: 'six',
    7: 'seven',
    8: 'eight',
    9: 'nine',
    '*': 'star',
    '#': 'hash',
  },
}
